#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Node {
  std::string text;
  std::unique_ptr<Node> next;
};

int main(int argc, char **argv) {
  std::map<std::string, int> count;
  std::unique_ptr<Node> list;
  for (int i = 1; i < argc; i++) {
    for (const char *p = argv[i]; *p; p++)
      count[std::string(1, *p)]++;
    list = std::unique_ptr<Node>(new Node{argv[i], std::move(list)});
  }
  std::vector<std::pair<int, std::string>> order;
  for (const auto &entry : count)
    order.emplace_back(entry.second, entry.first);
  std::sort(order.rbegin(), order.rend());
  for (const auto &entry : order)
    std::printf("%s%d ", entry.second.c_str(), entry.first);
  for (const Node *n = list.get(); n; n = n->next.get())
    std::printf("[%s]", n->text.c_str());
  std::puts("");
  return (int)order.size();
}
