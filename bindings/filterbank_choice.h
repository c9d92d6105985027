#pragma once
#include <string_view>

#include "audio/mel_filterbank.h"
#include "container/model_metadata.h"

namespace susurrus {

/// Which filterbank a model computes with.
enum class FilterbankChoice : uint8_t {
  /// The file's, but for an APR1 file's that is HTK's: a converter is known that wrote it where Whisper's belongs.
  automatic,
  /// The file's.
  embedded,
  /// Whisper's, whatever the file has.
  whisper
};

inline constexpr std::string_view kHtkFilterbank =
    "the filterbank is HTK's, which a known converter wrote by mistake, and is replaced by "
    "Whisper's";

/// "auto", "embedded" or "whisper"; callers have checked it.
inline FilterbankChoice filterbank_choice(std::string_view name) {
  return name == "embedded"  ? FilterbankChoice::embedded
         : name == "whisper" ? FilterbankChoice::whisper
                             : FilterbankChoice::automatic;
}

/// Drops the filterbank of `metadata` where Whisper's counts instead. Whether that needs kHtkFilterbank said.
inline bool choose_filterbank(FilterbankChoice choice, std::string_view format,
                              ModelMetadata& metadata) {
  AlignedBuffer& filterbank = metadata.mel_filterbank;
  if (choice == FilterbankChoice::whisper) filterbank.reset();
  const WhisperMetadata* whisper = metadata.whisper();
  if (choice != FilterbankChoice::automatic || !format.starts_with("APR1") || !whisper ||
      !MelFilterbank::is_htk(whisper->dimensions.n_mels, std::as_const(filterbank).floats())) {
    return false;
  }
  filterbank.reset();
  return true;
}

}  // namespace susurrus
