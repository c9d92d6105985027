#pragma once
#include <optional>

#include "base/json_document.h"
#include "families/acoustic/beam_options.h"
#include "families/acoustic/beam_vocabulary.h"

namespace susurrus {

/// Names in the API, for check_network_options().
std::span<const std::string_view> beam_option_names();

/// What transcribe()'s or stream()'s options say of a beam search over `vocabulary`. nullopt: there is none, as without a lexicon,
/// a language model and beamSize. invalid_argument: out of range, or without what it is about.
Result<std::optional<BeamOptions>> read_beam_options(JsonValue options,
                                                     const BeamVocabulary& vocabulary);

}  // namespace susurrus
