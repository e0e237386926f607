// node crash.cjs: uses the package, then makes it panic.
const { Cart } = require("./pkg/cart.js");

const cart = new Cart(3);
console.log(cart.label("tea=1.25 milk=0.75 tea=2 salt=none"), cart.price(2));
Error.stackTraceLimit = 50;
try {
  cart.price(7);
} catch (error) {
  console.log(error.stack);
}
