#include "container/bw2l/bw2l_model.h"

namespace susurrus {
namespace {

constexpr Bw2lDtypeTraits kDtypes[] = {
    {"fp64", 8, false}, {"fp32", 4, false}, {"fp16", 2, false}, {"i64", 8, true},
    {"i32", 4, true},   {"i16", 2, true},   {"i8", 1, true},
};

}  // namespace

const Bw2lDtypeTraits& bw2l_dtype_traits(Bw2lDtype dtype) {
  return kDtypes[static_cast<size_t>(dtype)];
}

std::optional<Bw2lDtype> find_bw2l_dtype(std::string_view name) {
  for (size_t i = 0; i < sizeof kDtypes / sizeof *kDtypes; ++i) {
    if (kDtypes[i].name == name) return static_cast<Bw2lDtype>(i);
  }
  return std::nullopt;
}

Bw2lKind bw2l_kind(std::string_view type) {
  constexpr std::string_view kTypes[] = {"utf8", "keyval", "data", "array", "layers"};
  for (size_t i = 0; i < sizeof kTypes / sizeof *kTypes; ++i) {
    if (kTypes[i] == type) return static_cast<Bw2lKind>(i);
  }
  return Bw2lKind::other;
}

const Bw2lSection* Bw2lModel::find(std::string_view section_name) const {
  for (size_t i = sections.size(); i-- > 0;) {
    if (sections[i].name == section_name) return &sections[i];
  }
  return nullptr;
}

const Bw2lPair* find_pair(const std::vector<Bw2lPair>& pairs, std::string_view key) {
  for (size_t i = pairs.size(); i-- > 0;) {
    if (pairs[i].key == key) return &pairs[i];
  }
  return nullptr;
}

}  // namespace susurrus
