#include "container/bw2l_builder.h"

namespace susurrus::testing {
namespace {

Bytes text_bytes(std::string_view text) { return Bytes(text.begin(), text.end()); }

}  // namespace

void append_short_string(Bytes& out, std::string_view text) {
  out.push_back(static_cast<uint8_t>(text.size()));
  append_text(out, text);
}

void append_long_string(Bytes& out, std::string_view text) {
  append_number(out, uint64_t{text.size()});
  append_text(out, text);
}

void append_array(Bytes& out, std::string_view type, uint64_t count, size_t element_bytes) {
  append_short_string(out, type);
  append_number(out, count);
  for (size_t i = 0; i < count * element_bytes; ++i) out.push_back(static_cast<uint8_t>(i * 7));
}

Bytes pairs_data(const BuiltPairs& pairs) {
  Bytes data;
  for (const auto& [key, value] : pairs) {
    append_short_string(data, key);
    append_long_string(data, value);
  }
  return data;
}

Bytes layers_data(const std::vector<BuiltLayer>& layers) {
  const std::map<std::string, size_t> sizes = {{"fp64", 8}, {"fp32", 4}, {"fp16", 2}, {"i64", 8},
                                               {"i32", 4},  {"i16", 2},  {"i8", 1}};
  Bytes data;
  append_number(data, uint64_t{layers.size()});
  for (const BuiltLayer& layer : layers) {
    append_long_string(data, layer.arch);
    append_number(data, layer.scale);
    append_number(data, layer.offset);
    append_number(data, uint64_t{layer.arrays.size()});
    for (const auto& [type, count] : layer.arrays) {
      const auto size = sizes.find(type);
      append_array(data, type, count, size == sizes.end() ? 1 : size->second);
    }
  }
  return data;
}

Bw2lBuilder::Bw2lBuilder() {
  sections = {
      {"flags", "keyval", pairs_data({{"mfsc", "true"}, {"filterbanks", "40"}, {"", ""}})},
      {"config", "keyval", pairs_data({{"criterion", "ctc"}})},
      {"arch", "utf8", text_bytes("# a network\nV -1 1 NFEAT 0\n\n  C2 1 2 3 1 1 1\nR\nL 80 4 \n")},
      {"tokens", "utf8", text_bytes("|\na A\n'\n\nb\r\n")},
      {"layers", "layers", {}, "the weights"},
      {"spm", "data", {1, 2, 3}},
      {"notes", "poem", {9, 8, 7, 6}}};
  set_layers({{"V -1 1 NFEAT 0"},
              {"C2 1 2 3 1 1 1", {{"fp32", 6}, {"fp32", 2}}},
              {"R"},
              {"L 80 4", {{"i8", 320}, {"fp16", 4}}, 0.5f, -3}});
}

BuiltSection& Bw2lBuilder::operator[](std::string_view section) {
  for (BuiltSection& one : sections) {
    if (one.name == section) return one;
  }
  return sections.emplace_back(BuiltSection{std::string(section), "", {}});
}

void Bw2lBuilder::set_pairs(std::string_view section, const BuiltPairs& pairs) {
  (*this)[section].data = pairs_data(pairs);
}

void Bw2lBuilder::set_layers(const std::vector<BuiltLayer>& layers) {
  (*this)["layers"].data = layers_data(layers);
}

void Bw2lBuilder::set_text(std::string_view section, std::string_view text) {
  (*this)[section].data = text_bytes(text);
}

void Bw2lBuilder::remove(std::string_view section) {
  std::erase_if(sections, [&](const BuiltSection& one) { return one.name == section; });
}

Bytes Bw2lBuilder::build() {
  Bytes file;
  append_text(file, "BW2L");
  file.push_back(version);
  append_short_string(file, name);
  section_count_at = file.size();
  append_number(file, uint64_t{sections.size()});
  for (const BuiltSection& section : sections) {
    section_at[section.name] = file.size();
    append_short_string(file, section.name);
    append_short_string(file, section.type);
    append_long_string(file, section.description);
    append_number(file, uint64_t{section.data.size()});
    data_at[section.name] = file.size();
    file.insert(file.end(), section.data.begin(), section.data.end());
  }
  file.insert(file.end(), behind.begin(), behind.end());
  return file;
}

}  // namespace susurrus::testing
