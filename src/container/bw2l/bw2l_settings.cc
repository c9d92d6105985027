#include "container/bw2l/bw2l_settings.h"

#include <algorithm>
#include <cmath>

#include "base/checked_math.h"
#include "base/utf8.h"
#include "container/bw2l/bw2l_number.h"

namespace susurrus {
namespace {

constexpr std::string_view kCriteria[] = {"ctc", "asg", "seq2seq", "transformer"};
constexpr std::string_view kFeatures[] = {"raw", "mfsc", "mfcc", "pow"};
/// The known values of config.quantization. It has no effect: the arrays' types decide.
constexpr std::string_view kQuantizations[] = {"dynamic", "fp16", "i8", "8x16"};

/// Warnings show this many bytes of a value.
constexpr size_t kShownBytes = 32;

/// A setting that is there and not empty.
struct Setting {
  std::string_view value;
  uint64_t offset = kNoOffset;
};

Setting find_setting(const Bw2lModel& model, std::string_view section, std::string_view key) {
  const Bw2lSection* found = model.find(section);
  const Bw2lPair* pair = found ? find_pair(found->pairs, key) : nullptr;
  return pair && !pair->value.empty() ? Setting{pair->value, pair->value_offset} : Setting{};
}

Error bad_setting(ErrorReason reason, const Setting& setting, std::string_view subject) {
  return make_error(ErrorCode::malformed, reason)
      .at(setting.offset)
      .with_subject(subject)
      .with_got(setting.value);
}

bool is_true(std::string_view value) {
  std::string lower;
  for (const char c : value.substr(0, 8)) {
    lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  }
  return lower == "true" || lower == "t" || lower == "1" || lower == "yes" || lower == "y";
}

Result<Bw2lCriterion> read_criterion(const Bw2lModel& model) {
  std::string_view subject = "config.criterion";
  Setting setting = find_setting(model, "config", "criterion");
  if (setting.value.empty()) {
    subject = "flags.criterion";
    setting = find_setting(model, "flags", "criterion");
  }
  if (setting.value.empty()) {
    return model.find("transitions") != nullptr ? Bw2lCriterion::asg : Bw2lCriterion::ctc;
  }
  for (size_t i = 0; i < std::size(kCriteria); ++i) {
    if (setting.value == kCriteria[i]) return static_cast<Bw2lCriterion>(i);
  }
  return bad_setting(ErrorReason::unsupported, setting, subject)
      .with_expected("ctc, asg, seq2seq or transformer");
}

Result<Bw2lFeature> read_feature(const Bw2lModel& model) {
  const Setting named = find_setting(model, "config", "feature");
  Bw2lFeature feature = Bw2lFeature::raw;
  for (size_t i = 1; i < std::size(kFeatures); ++i) {
    const Setting flag = find_setting(model, "flags", kFeatures[i]);
    if (!is_true(flag.value)) continue;
    if (feature != Bw2lFeature::raw) {
      return bad_setting(ErrorReason::contradiction, flag, "flags." + std::string(kFeatures[i]))
          .with_expected("at most one of mfsc, mfcc, pow");
    }
    feature = static_cast<Bw2lFeature>(i);
  }
  if (named.value.empty()) return feature;
  for (size_t i = 0; i < std::size(kFeatures); ++i) {
    if (named.value == kFeatures[i]) return static_cast<Bw2lFeature>(i);
  }
  return bad_setting(ErrorReason::unsupported, named, "config.feature")
      .with_expected("mfsc, mfcc, pow or raw");
}

void check_quantization(const Bw2lModel& model, std::vector<std::string>& warnings) {
  const std::string_view value = find_setting(model, "config", "quantization").value;
  const auto* const end = std::end(kQuantizations);
  if (value.empty() || std::find(std::begin(kQuantizations), end, value) != end) return;
  warnings.push_back("config.quantization is " +
                     replace_invalid_utf8(value.substr(0, kShownBytes)) +
                     ", none of dynamic, fp16, i8, 8x16; the arrays' types count");
}

/// Filters are triangles between points that lie equally spaced in mel; one without a bin strictly inside is empty.
bool has_empty_filter(const Bw2lSettings& settings) {
  const double samples = std::round(0.001 * settings.frame_size_ms * settings.samplerate);
  const double bins = std::exp2(std::ceil(std::log2(std::max(samples, 1.0))));
  const double mel_step =
      2595 * std::log10(1 + settings.samplerate / 2 / 700) / (settings.filterbanks + 1);
  const auto bin_of = [&](double point) {
    return 700 * (std::pow(10, point * mel_step / 2595) - 1) * bins / settings.samplerate;
  };
  // Filters grow; one that is wider than a bin is not empty, nor are those after it.
  for (double filter = 0; filter < settings.filterbanks && filter < 65536; ++filter) {
    const double low = bin_of(filter);
    const double high = bin_of(filter + 2);
    if (std::floor(low) + 1 >= high) return true;
    if (high - low > 1) return false;
  }
  return false;
}

/// N² transitions, N being the tokens with those that training appends.
bool fits_transitions(uint64_t count, uint64_t token_count, const Bw2lSettings& settings) {
  const uint64_t eos = settings.has_eos_token ? 1 : 0;
  for (const uint64_t more : {uint64_t{0}, settings.replabel, eos, settings.replabel + eos}) {
    if (checked_multiply(token_count + more, token_count + more) == count) return true;
  }
  return false;
}

Status check_transitions(const Bw2lModel& model, std::optional<uint64_t> token_count,
                         const Bw2lSettings& settings) {
  const Bw2lSection* section = model.find("transitions");
  if (section == nullptr) {
    return make_error(ErrorCode::malformed, ErrorReason::model)
        .at(model.section_count_offset)
        .with_subject("transitions")
        .with_expected("transitions, which the criterion asg needs");
  }
  if (section->kind() != Bw2lKind::array) {
    return make_error(ErrorCode::malformed, ErrorReason::bad_metadata)
        .at(section->file_offset)
        .with_subject("transitions")
        .with_expected("type array")
        .with_got(section->type);
  }
  if (!token_count || fits_transitions(section->array.count, *token_count, settings)) {
    return ok_status();
  }
  return make_error(ErrorCode::malformed, ErrorReason::size_mismatch)
      .at(section->array.count_offset)
      .with_subject("transitions")
      .with_expected(std::to_string(*token_count) + " tokens, squared")
      .with_got(section->array.count);
}

}  // namespace

std::string_view bw2l_criterion_name(Bw2lCriterion criterion) {
  return kCriteria[static_cast<size_t>(criterion)];
}

std::string_view bw2l_feature_name(Bw2lFeature feature) {
  return kFeatures[static_cast<size_t>(feature)];
}

bool read_bw2l_flag(const Bw2lModel& model, const char* flag) {
  return is_true(find_setting(model, "flags", flag).value);
}

Status read_bw2l_number(const Bw2lModel& model, const char* flag, double least, double& number) {
  const Setting setting = find_setting(model, "flags", flag);
  if (setting.value.empty()) return ok_status();
  const auto value = parse_decimal(setting.value);
  if (!value || *value < least || *value > 1e9) {
    return bad_setting(ErrorReason::bad_metadata, setting, "flags." + std::string(flag))
        .with_expected(least > 0 ? "a number above 0" : "a number of 0 or more");
  }
  number = *value;
  return ok_status();
}

Result<Bw2lSettings> read_bw2l_settings(const Bw2lModel& model, std::optional<uint64_t> token_count,
                                        std::vector<std::string>& warnings) {
  Bw2lSettings settings;
  SUSURRUS_ASSIGN_OR_RETURN(settings.criterion, read_criterion(model));
  SUSURRUS_ASSIGN_OR_RETURN(settings.feature, read_feature(model));
  constexpr double kAboveZero = 1e-9;
  SUSURRUS_RETURN_IF_ERROR(read_bw2l_number(model, "samplerate", kAboveZero, settings.samplerate));
  SUSURRUS_RETURN_IF_ERROR(
      read_bw2l_number(model, "framesizems", kAboveZero, settings.frame_size_ms));
  SUSURRUS_RETURN_IF_ERROR(
      read_bw2l_number(model, "framestridems", kAboveZero, settings.frame_stride_ms));
  SUSURRUS_RETURN_IF_ERROR(
      read_bw2l_number(model, "filterbanks", kAboveZero, settings.filterbanks));
  double replabel = 0;
  SUSURRUS_RETURN_IF_ERROR(read_bw2l_number(model, "replabel", 0, replabel));
  settings.replabel = static_cast<uint64_t>(replabel);
  settings.has_eos_token = read_bw2l_flag(model, "eostoken");
  check_quantization(model, warnings);
  const bool has_filters =
      settings.feature == Bw2lFeature::mfsc || settings.feature == Bw2lFeature::mfcc;
  if (has_filters && has_empty_filter(settings)) {
    warnings.emplace_back("some filterbanks are empty: too many for this frame size");
  }
  if (settings.criterion == Bw2lCriterion::seq2seq ||
      settings.criterion == Bw2lCriterion::transformer) {
    warnings.push_back("the criterion " + std::string(bw2l_criterion_name(settings.criterion)) +
                       " cannot be run, only ctc and asg");
  }
  if (settings.criterion == Bw2lCriterion::asg) {
    SUSURRUS_RETURN_IF_ERROR(check_transitions(model, token_count, settings));
  }
  return settings;
}

}  // namespace susurrus
