#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "audio/mel_filterbank.h"
#include "container/model_metadata.h"
#include "facts/whisper.h"

namespace susurrus {

/// The filterbank with which a model computes.
enum class FilterbankChoice : uint8_t {
  /// The file's, but for an APR1 file's that is HTK's: a converter is known that wrote it where Whisper's belongs.
  automatic,
  /// The file's.
  embedded,
  /// Whisper's filterbank, even if the file has its own.
  whisper
};

/// What inspection says of a file's filterbank.
struct StoredFilterbank {
  uint32_t n_mels;
  std::string_view kind;
  double first_row_sum;
};

/// Nothing for weights that are not [n_mels, 201].
inline std::optional<StoredFilterbank> describe_filterbank(uint32_t n_mels,
                                                           std::span<const float> dense) {
  if (n_mels == 0 || dense.size() != size_t{n_mels} * kFrequencyBins) return std::nullopt;
  const FilterbankKind kind = MelFilterbank::kind(n_mels, dense);
  double sum = 0;
  for (const float weight : dense.first(kFrequencyBins)) sum += weight;
  return StoredFilterbank{n_mels,
                          kind == FilterbankKind::whisper ? "whisper"
                          : kind == FilterbankKind::htk   ? "htk"
                                                          : "other",
                          sum};
}

inline constexpr std::string_view kHtkFilterbank =
    "the filterbank is HTK's, which a known converter wrote by mistake, and is replaced by "
    "Whisper's";

inline constexpr std::string_view kForeignHtkFilterbank =
    "the filterbank is HTK's, not Whisper's, for which Whisper models are trained: the text may be "
    "wrong (--filterbank whisper; the option filterbank: 'whisper')";
inline constexpr std::string_view kForeignFilterbank =
    "the filterbank is not Whisper's, for which Whisper models are trained: the text may be wrong "
    "(--filterbank whisper; the option filterbank: 'whisper')";

/// "auto", "embedded" or "whisper"; callers have checked it.
inline FilterbankChoice filterbank_choice(std::string_view name) {
  return name == "embedded"  ? FilterbankChoice::embedded
         : name == "whisper" ? FilterbankChoice::whisper
                             : FilterbankChoice::automatic;
}

/// What is to be said of the filterbank of `metadata`, which is used: nothing where it is Whisper's, or none is there.
inline std::string_view foreign_filterbank(const ModelMetadata& metadata) {
  const WhisperMetadata* whisper = metadata.whisper();
  if (whisper == nullptr || metadata.mel_filterbank.byte_count() == 0) return {};
  switch (MelFilterbank::kind(whisper->dimensions.n_mels, metadata.mel_filterbank.floats())) {
    case FilterbankKind::whisper: return {};
    case FilterbankKind::htk: return kForeignHtkFilterbank;
    case FilterbankKind::other: return kForeignFilterbank;
  }
  return {};
}

/// Drops the filterbank of `metadata` where Whisper's counts instead. Returns what is to be said of it, empty if nothing: one that
/// is not Whisper's needs no word where the caller has chosen.
inline std::string_view choose_filterbank(FilterbankChoice choice, std::string_view format,
                                          ModelMetadata& metadata) {
  if (choice == FilterbankChoice::whisper) metadata.mel_filterbank.reset();
  if (choice != FilterbankChoice::automatic) return {};
  const std::string_view warning = foreign_filterbank(metadata);
  if (warning != kForeignHtkFilterbank || !format.starts_with("APR1")) return warning;
  metadata.mel_filterbank.reset();
  return kHtkFilterbank;
}

}  // namespace susurrus
