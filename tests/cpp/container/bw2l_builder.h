// Builds BW2L files field by field, right or wrong on purpose; independent of Bw2lWriter.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "container/apr2_builder.h"

namespace susurrus::testing {

void append_short_string(Bytes& out, std::string_view text);
void append_long_string(Bytes& out, std::string_view text);
/// `count` elements of `element_bytes` each.
void append_array(Bytes& out, std::string_view type, uint64_t count, size_t element_bytes);

struct BuiltSection {
  std::string name;
  std::string type;
  Bytes data;
  std::string description = {};
};
struct BuiltLayer {
  std::string arch;
  std::vector<std::pair<std::string, uint64_t>> arrays = {};
  float scale = 1;
  int64_t offset = 0;
};
using BuiltPairs = std::vector<std::pair<std::string, std::string>>;

struct Bw2lBuilder {
  Bw2lBuilder();

  uint8_t version = 1;
  std::string name = "test";
  std::vector<BuiltSection> sections;
  Bytes behind;

  BuiltSection& operator[](std::string_view section);
  void set_pairs(std::string_view section, const BuiltPairs& pairs);
  void set_layers(const std::vector<BuiltLayer>& layers);
  void set_text(std::string_view section, std::string_view text);
  void remove(std::string_view section);

  Bytes build();
  // Offsets in the last build() of sections and their data.
  uint64_t section_count_at = 0;
  std::map<std::string, uint64_t> section_at;
  std::map<std::string, uint64_t> data_at;
};

Bytes pairs_data(const BuiltPairs& pairs);
Bytes layers_data(const std::vector<BuiltLayer>& layers);

}  // namespace susurrus::testing
