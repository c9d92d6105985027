#include "container/bw2l/bw2l_checks.h"

#include <algorithm>

#include "base/name_index.h"
#include "container/bw2l/bw2l_architecture.h"
#include "container/bw2l/bw2l_errors.h"
#include "container/bw2l/bw2l_tokens.h"

namespace susurrus {

using namespace bw2l;

namespace {

void check_names(const Bw2lModel& model, std::vector<std::string>& warnings) {
  NameIndex names;
  for (size_t i = 0; i < model.sections.size(); ++i) {
    names.add(model.sections[i].name, static_cast<uint32_t>(i));
  }
  names.sort();
  if (names.duplicate() != nullptr) {
    warnings.emplace_back("sections share a name, of which the last one counts");
  }
  for (const char* name : {"tokens", "layers", "flags"}) {
    if (names.find(name) != nullptr) continue;
    // Settings may be in either.
    const bool is_flags = std::string_view(name) == "flags";
    if (is_flags && names.find("config") != nullptr) continue;
    warnings.push_back(std::string("there is no section ") + (is_flags ? "flags or config" : name) +
                       ": such a model cannot be run");
  }
}

void check_engines(const Bw2lModel& model, std::vector<std::string>& warnings) {
  const Bw2lSection* network = model.find("layers");
  if (network == nullptr) return;
  uint64_t count = 0;
  std::string first;
  for (size_t i = 0; i < network->layers.size(); ++i) {
    const Bw2lLayer& layer = network->layers[i];
    if (!is_bw2l_layer_without_engine(layer.arch, layer.arrays.size())) continue;
    if (count++ == 0) first = "layers[" + std::to_string(i) + "]";
  }
  if (count == 0) return;
  const std::string more = count == 1 ? "" : " and " + std::to_string(count - 1) + " more";
  warnings.push_back(first + more +
                     ": RNN, GRU, LSTM, and BN without running statistics, cannot be run");
}

Status check_arch(const Bw2lModel& model, std::vector<std::string>& warnings) {
  const Bw2lSection* arch = model.find("arch");
  if (arch == nullptr) return ok_status();
  const Bw2lSection* layers = model.find("layers");
  const auto all_lines = bw2l_arch_lines(arch->text);
  if (!all_lines) {
    Error error = all_lines.error();
    error.offset = arch->data_offset;
    return error;
  }
  std::span<const std::string_view> lines = *all_lines;
  size_t layer_count = 0;
  bool differs = false;
  Bw2lPlaceholders placeholders;
  for (; !lines.empty(); ++layer_count) {
    const size_t taken = bw2l_layer_line_count(lines);
    if (taken == 0) {
      return malformed(ErrorReason::bad_metadata, arch->data_offset, "arch")
          .with_expected("all lines that a residual block announces")
          .with_got(lines[0]);
    }
    if (layers != nullptr && layer_count < layers->layers.size()) {
      SUSURRUS_ASSIGN_OR_RETURN(const auto own, bw2l_arch_lines(layers->layers[layer_count].arch));
      differs |= !std::equal(lines.begin(), lines.begin() + taken, own.begin(), own.end(),
                             [&](std::string_view line, std::string_view resolved) {
                               return placeholders.match(line, resolved);
                             });
    }
    lines = lines.subspan(taken);
  }
  if (layers != nullptr && layer_count != layers->layers.size()) {
    return malformed(ErrorReason::contradiction, layers->data_offset, "layers.layer_count")
        .with_expected(std::to_string(layer_count) + ", the lines of arch")
        .with_got(layers->layers.size());
  }
  if (differs) warnings.emplace_back("arch differs from the layers' own lines, which count");
  return ok_status();
}

}  // namespace

Result<Bw2lChecked> check_bw2l_model(const Bw2lModel& model, std::vector<std::string>& warnings) {
  check_names(model, warnings);
  check_engines(model, warnings);
  Bw2lChecked checked;
  std::optional<uint64_t> token_count;
  if (const Bw2lSection* tokens = model.find("tokens")) {
    SUSURRUS_ASSIGN_OR_RETURN(checked.tokens, parse_bw2l_tokens(tokens->text, tokens->data_offset));
    token_count = checked.tokens.size();
  }
  SUSURRUS_ASSIGN_OR_RETURN(checked.settings, read_bw2l_settings(model, token_count, warnings));
  SUSURRUS_RETURN_IF_ERROR(check_arch(model, warnings));
  return checked;
}

}  // namespace susurrus
