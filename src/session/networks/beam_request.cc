#include "session/networks/beam_request.h"

#include <algorithm>

#include "session/json_option.h"

namespace susurrus {
namespace {

/// The most candidates of a frame before merging: some hundred megabytes.
constexpr uint64_t kMostCandidates = 1 << 21;

constexpr std::string_view kNames[] = {
#define SUSURRUS_OPTION_NUMBER(name, field, range) name,
#define SUSURRUS_OPTION_VALUE(name, field) name,
#include "facts/beam_options.inc"
};

struct Reader {
  std::string_view name;
  Status (*read)(const JsonOption& option, BeamOptions& beam);
};
constexpr Reader kReaders[] = {
#define SUSURRUS_OPTION_NUMBER(name, field, range) \
  {name, [](const JsonOption& o, BeamOptions& beam) { return o.read(beam.field, range); }},
#define SUSURRUS_OPTION_VALUE(name, field) \
  {name, [](const JsonOption& o, BeamOptions& beam) { return o.read(beam.field); }},
#include "facts/beam_options.inc"
};

/// What an option is about that is not there; empty where all is.
std::string_view missing_for(std::string_view name, const BeamVocabulary& vocabulary,
                             bool is_search) {
  if (!is_search) return "absent without beamSize, a lexicon or a language model";
  if (name == "lmWeight" && vocabulary.model() == nullptr) return "absent without a language model";
  const bool is_of_words = name == "wordScore" || name == "unkScore";
  if (is_of_words && vocabulary.lexicon() == nullptr) return "absent without a lexicon";
  return {};
}

}  // namespace

std::span<const std::string_view> beam_option_names() { return kNames; }

Result<std::optional<BeamOptions>> read_beam_options(JsonValue options,
                                                     const BeamVocabulary& vocabulary) {
  const bool is_search = vocabulary.lexicon() != nullptr || vocabulary.model() != nullptr ||
                         options["beamSize"].exists();
  BeamOptions beam;
  for (const Reader& reader : kReaders) {
    const JsonOption option{reader.name, options[reader.name]};
    if (!option.value.exists()) continue;
    const std::string_view missing = missing_for(option.name, vocabulary, is_search);
    if (!missing.empty()) return option.wrong(missing);
    SUSURRUS_RETURN_IF_ERROR(reader.read(option, beam));
  }
  if (!is_search) return std::optional<BeamOptions>();
  const uint64_t tried = std::min<uint64_t>(beam.beam_size_token, vocabulary.tokens().size());
  if (beam.beam_size * tried > kMostCandidates) {
    return option_error("beamSizeToken", "at most " +
                                             std::to_string(kMostCandidates / beam.beam_size) +
                                             " with this beamSize")
        .with_got(beam.beam_size_token);
  }
  return std::optional<BeamOptions>(beam);
}

}  // namespace susurrus
