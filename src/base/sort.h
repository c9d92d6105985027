#pragma once
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace susurrus {

/// Heap sort: in place, O(n log n) at worst. A tenth of the code of std::sort in WebAssembly, which is instantiated once for
/// each type. Not stable: where the order of equals matters, `is_before` decides it.
template <typename List, typename IsBefore>
void heap_sort(List&& list, IsBefore is_before) {
  std::span values(list);
  auto sift = [&](size_t parent, size_t end) {
    for (size_t child; (child = 2 * parent + 1) < end; parent = child) {
      if (child + 1 < end && is_before(values[child], values[child + 1])) ++child;
      if (!is_before(values[parent], values[child])) return;
      std::swap(values[parent], values[child]);
    }
  };
  for (size_t parent = values.size() / 2; parent-- > 0;) sift(parent, values.size());
  for (size_t end = values.size(); end-- > 1;) {
    std::swap(values[0], values[end]);
    sift(0, end);
  }
}

/// Ascending, each value once.
template <typename T>
void sort_unique(std::vector<T>& values) {
  heap_sort(values, [](const T& a, const T& b) { return a < b; });
  size_t count = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (count == 0 || values[count - 1] < values[i]) values[count++] = values[i];
  }
  values.resize(count);
}

}  // namespace susurrus
