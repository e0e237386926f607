// One unit of the input of the index benchmark. It is compiled several times
// with -DUNIT=0, 1, ...: everything lies in a namespace of its own, so that each
// unit brings its own code, inlined calls and types.
#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

namespace CAT(unit_, UNIT) {

template <int K> struct Tag {
  int v;
  std::string name;
  bool operator<(const Tag &o) const { return v < o.v; }
  bool operator==(const Tag &o) const { return v == o.v; }
};
template <int K> struct Hash {
  size_t operator()(const Tag<K> &t) const { return std::hash<int>()(t.v) * 31 + K; }
};

template <int K> int containers(int n) {
  std::map<Tag<K>, std::vector<std::shared_ptr<Tag<K + 1>>>> m;
  std::unordered_map<Tag<K>, std::deque<std::optional<Tag<K + 1>>>, Hash<K>> u;
  std::set<std::tuple<Tag<K>, std::string, std::array<int, K % 7 + 1>>> s;
  std::list<std::function<int(Tag<K>)>> l;
  for (int i = 0; i < n; i++) {
    Tag<K> t{i, std::to_string(i)};
    m[t].push_back(std::make_shared<Tag<K + 1>>(Tag<K + 1>{i * 2, "z"}));
    u[t].push_back(Tag<K + 1>{i, "q"});
    s.insert({t, "k", {}});
    l.push_back([i](Tag<K> z) { return z.v + i + K; });
  }
  std::variant<int, Tag<K>, std::vector<Tag<K>>> v = Tag<K>{1, "a"};
  int r = std::visit([](auto &q) {
    if constexpr (requires { q.size(); }) return (int)q.size();
    else if constexpr (requires { q.v; }) return q.v;
    else return q;
  }, v);
  for (auto &f : l) r += f(Tag<K>{r, "w"});
  return r + (int)m.size() + (int)u.size() + (int)s.size();
}

template <int K> int algorithms(int n) {
  std::vector<Tag<K>> a(n);
  for (int i = 0; i < n; i++) a[i] = Tag<K>{i * 7 % 13, std::to_string(i)};
  std::stable_sort(a.begin(), a.end());
  auto last = std::unique(a.begin(), a.end());
  a.erase(last, a.end());
  std::vector<std::pair<std::string, Tag<K>>> p;
  std::transform(a.begin(), a.end(), std::back_inserter(p), [](const Tag<K> &t) { return std::make_pair(t.name, t); });
  std::make_heap(p.begin(), p.end(), [](auto &x, auto &y) { return x.first < y.first; });
  std::nth_element(a.begin(), a.begin() + a.size() / 2, a.end());
  return std::accumulate(p.begin(), p.end(), K, [](int s, const auto &x) { return s + x.second.v; });
}

template <int K> int all(int n) {
  if constexpr (K == 0) return n;
  else return containers<K>(n) + algorithms<K>(n) + all<K - 1>(n);
}

int words(const char *text) {
  std::string s = text;
  std::regex re("([a-z]+)([0-9]*)");
  int n = 0;
  for (std::sregex_iterator it(s.begin(), s.end(), re), end; it != end; ++it) n += (int)it->length();
  return n;
}

} // namespace

extern "C" int CAT(run_, UNIT)(const char *text, int n) {
  using namespace CAT(unit_, UNIT);
  return all<DEPTH>(n) + words(text);
}
