#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/sort.h"

namespace susurrus {

/// Looks names up by binary search in a sorted list. A tenth of the code of std::unordered_map in WebAssembly.
class NameIndex {
 public:
  struct Entry {
    std::string_view name;
    uint32_t place;
  };

  void reserve(size_t count) { entries_.reserve(count); }
  void add(std::string_view name, uint32_t place) { entries_.push_back({name, place}); }
  /// After the last add().
  void sort() {
    heap_sort(entries_, [](const Entry& a, const Entry& b) {
      const int order = a.name.compare(b.name);
      return order != 0 ? order < 0 : a.place < b.place;
    });
  }

  /// The second entry of some name that was added twice; the first one stands before it. Null when there is none.
  const Entry* duplicate() const {
    for (size_t i = 1; i < entries_.size(); ++i) {
      if (entries_[i].name == entries_[i - 1].name) return &entries_[i];
    }
    return nullptr;
  }
  const Entry* find(std::string_view name) const {
    const auto at =
        std::lower_bound(entries_.begin(), entries_.end(), name,
                         [](const Entry& entry, std::string_view key) { return entry.name < key; });
    return at != entries_.end() && at->name == name ? &*at : nullptr;
  }
  /// Sorted.
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace susurrus
