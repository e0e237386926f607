#include "shapes.hpp"

namespace shapes {

int Square::area() const { return side * side; }
int Circle::area() const { return 355 * radius * radius / 113; }
int scale(int area, int by) { return area / by; }

} // namespace shapes
