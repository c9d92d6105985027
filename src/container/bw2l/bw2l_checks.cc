#include "container/bw2l/bw2l_checks.h"

#include <algorithm>

#include "base/name_index.h"
#include "container/bw2l/bw2l_architecture.h"
#include "container/bw2l/bw2l_errors.h"
#include "container/bw2l/bw2l_tokens.h"

namespace susurrus {

using namespace bw2l;

namespace {

Status check_names(const Bw2lModel& model, bool is_strict, std::vector<std::string>& warnings) {
  NameIndex names;
  for (size_t i = 0; i < model.sections.size(); ++i) {
    names.add(model.sections[i].name, static_cast<uint32_t>(i));
  }
  names.sort();
  if (const NameIndex::Entry* second = names.duplicate()) {
    if (is_strict) {
      return malformed(ErrorReason::duplicate, model.sections[second->place].file_offset,
                       second->name);
    }
    warnings.emplace_back("sections share a name, of which the last one counts");
  }
  for (const char* name : {"tokens", "layers", "flags"}) {
    if (names.find(name) != nullptr) continue;
    // Settings may be in either.
    if (std::string_view(name) == "flags" && names.find("config") != nullptr) continue;
    return malformed(ErrorReason::model, model.section_count_offset, name)
        .expecting("a section with this name");
  }
  return ok_status();
}

Status check_arch(const Bw2lModel& model, std::vector<std::string>& warnings) {
  const Bw2lSection* arch = model.find("arch");
  if (arch == nullptr) return ok_status();
  const Bw2lSection& layers = *model.find("layers");
  const auto all_lines = bw2l_arch_lines(arch->text);
  if (!all_lines) {
    Error error = all_lines.error();
    error.offset = arch->data_offset;
    return error;
  }
  std::span<const std::string_view> lines = *all_lines;
  size_t layer_count = 0;
  bool differs = false;
  for (; !lines.empty(); ++layer_count) {
    const size_t taken = bw2l_layer_line_count(lines);
    if (taken == 0) {
      return malformed(ErrorReason::bad_metadata, arch->data_offset, "arch")
          .expecting("all lines that a residual block announces")
          .having(lines[0]);
    }
    if (layer_count < layers.layers.size()) {
      SUSURRUS_ASSIGN(const auto own, bw2l_arch_lines(layers.layers[layer_count].arch));
      differs |= !std::equal(own.begin(), own.end(), lines.begin(), lines.begin() + taken);
    }
    lines = lines.subspan(taken);
  }
  if (layer_count != layers.layers.size()) {
    return malformed(ErrorReason::contradiction, layers.data_offset, "layers.layer_count")
        .expecting(std::to_string(layer_count) + ", the lines of arch")
        .having(layers.layers.size());
  }
  if (differs) warnings.emplace_back("arch differs from the layers' own lines, which count");
  return ok_status();
}

}  // namespace

Result<Bw2lChecked> check_bw2l_model(const Bw2lModel& model, bool is_strict,
                                     std::vector<std::string>& warnings) {
  SUSURRUS_TRY(check_names(model, is_strict, warnings));
  Bw2lChecked checked;
  const Bw2lSection& tokens = *model.find("tokens");
  SUSURRUS_ASSIGN(checked.tokens, parse_bw2l_tokens(tokens.text, tokens.data_offset));
  SUSURRUS_ASSIGN(checked.settings, read_bw2l_settings(model, checked.tokens.size(), warnings));
  SUSURRUS_TRY(check_arch(model, warnings));
  return checked;
}

}  // namespace susurrus
