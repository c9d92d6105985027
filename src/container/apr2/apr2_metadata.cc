#include "container/apr2/apr2_metadata.h"

#include <charconv>
#include <cmath>

#include "base/json_writer.h"
#include "container/apr2/apr2_vocabulary.h"
#include "facts/whisper.h"

namespace susurrus {
namespace {

constexpr uint64_t kMaxDimension = 0x7FFFFFFF;

struct DimensionKey {
  const char* name;
  uint32_t WhisperDimensions::* field;
};

constexpr DimensionKey kDimensionKeys[] = {
#define SUSURRUS_DIMENSION(name, api_name) {#name, &WhisperDimensions::name},
#include "facts/whisper_dimensions.inc"
#undef SUSURRUS_DIMENSION
};

/// The number before the first dot of "2.0.0".
std::optional<uint32_t> major_of(std::string_view version) {
  uint32_t major = 0;
  const auto [end, code] = std::from_chars(version.data(), version.data() + version.size(), major);
  const bool ends_well = end == version.data() + version.size() || *end == '.';
  if (code != std::errc() || !ends_well) return std::nullopt;
  return major;
}

class MetadataReader {
 public:
  MetadataReader(JsonValue root, uint16_t version_major, uint64_t file_offset)
      : root_(root), version_major_(version_major), file_offset_(file_offset) {}

  Result<Apr2Metadata> read() {
    if (!root_.is_object()) return bad("metadata").with_expected("an object");
    SUSURRUS_RETURN_IF_ERROR(read_version());
    SUSURRUS_RETURN_IF_ERROR(read_model_type());
    SUSURRUS_RETURN_IF_ERROR(read_architecture());
    // Another family's keys mean something else; its container opens for inspection (apr.md 9.40).
    if (model().whisper() != nullptr) SUSURRUS_RETURN_IF_ERROR(read_optional_keys());
    read_encryption();
    return std::move(result_);
  }

  Result<Apr2Metadata> read_options(const WhisperDimensions& dimensions) {
    model().model_type.assign("whisper");
    model().family.emplace<WhisperMetadata>().dimensions = dimensions;
    SUSURRUS_RETURN_IF_ERROR(read_optional_keys());
    return std::move(result_);
  }

 private:
  ModelMetadata& model() { return result_.model; }
  /// Only for a Whisper.
  WhisperMetadata& whisper() { return *model().whisper(); }

  Error error(ErrorReason reason, std::string_view subject) const {
    return make_error(ErrorCode::malformed, reason).at(file_offset_).with_subject(subject);
  }
  Error bad(std::string_view subject) const { return error(ErrorReason::bad_metadata, subject); }

  Result<JsonValue> required(JsonValue object, const char* key) const {
    const size_t count = object.count(key);
    if (count != 1) return bad(key).with_expected("the key once").with_got(count);
    return object[key];
  }
  /// A missing value for null, too.
  static JsonValue optional(JsonValue object, const char* key) {
    const JsonValue value = object[key];
    return value.is_null() ? JsonValue() : value;
  }

  Status read_optional_keys() {
    SUSURRUS_RETURN_IF_ERROR(read_tokenizer_config());
    SUSURRUS_RETURN_IF_ERROR(read_vocabulary());
    SUSURRUS_RETURN_IF_ERROR(read_filterbank());
    return read_alignment_heads();
  }

  Status read_version() const {
    SUSURRUS_ASSIGN_OR_RETURN(const JsonValue value, required(root_, "apr_version"));
    if (!value.is_string()) return bad("apr_version").with_expected("a string");
    const auto major = major_of(*value.text());
    if (!major)
      return bad("apr_version").with_expected("a version such as 2.0.0").with_got(*value.text());
    if (*major != version_major_) {
      return make_error(ErrorCode::unsupported_version, ErrorReason::version)
          .at(file_offset_)
          .with_subject("apr_version")
          .with_expected(version_major_)
          .with_got(*value.text());
    }
    return ok_status();
  }

  Status read_model_type() {
    SUSURRUS_ASSIGN_OR_RETURN(const JsonValue value, required(root_, "model_type"));
    if (!value.is_string()) return bad("model_type").with_expected("a string");
    model().model_type.assign(*value.text());
    return ok_status();
  }

  Status read_architecture() {
    SUSURRUS_ASSIGN_OR_RETURN(const JsonValue architecture, required(root_, "architecture"));
    if (!architecture.is_object()) return bad("architecture").with_expected("an object");
    if (model().model_type.view() != "whisper") {
      auto& other = model().family.emplace<OtherMetadata>();
      for (const auto& [key, value] : architecture.members()) {
        if (const auto number = value.unsigned_integer())
          other.architecture.emplace_back(key, *number);
      }
      return ok_status();
    }
    WhisperDimensions& d = model().family.emplace<WhisperMetadata>().dimensions;
    for (const DimensionKey& key : kDimensionKeys) {
      SUSURRUS_ASSIGN_OR_RETURN(const JsonValue value, required(architecture, key.name));
      const auto number = value.unsigned_integer();
      if (!number || *number == 0 || *number > kMaxDimension) {
        Error wrong = bad(key.name).with_expected("an integer from 1 to 2147483647");
        return number ? std::move(wrong).with_got(*number) : wrong;
      }
      d.*key.field = static_cast<uint32_t>(*number);
    }
    if (d.n_audio_state % d.n_audio_head != 0) {
      return bad("n_audio_state")
          .with_expected("a multiple of n_audio_head")
          .with_got(d.n_audio_state);
    }
    if (d.n_text_state % d.n_text_head != 0) {
      return bad("n_text_state")
          .with_expected("a multiple of n_text_head")
          .with_got(d.n_text_state);
    }
    if (d.n_audio_state != d.n_text_state) {
      return bad("n_text_state").with_expected(d.n_audio_state).with_got(d.n_text_state);
    }
    return ok_status();
  }

  Status read_tokenizer_config() {
    const JsonValue config = optional(root_, "tokenizer_config");
    if (!config.exists()) return ok_status();
    if (!config.is_object()) return bad("tokenizer_config").with_expected("an object");
    if (const JsonValue value = optional(config, "is_multilingual"); value.exists()) {
      whisper().is_multilingual = value.boolean();
      if (!whisper().is_multilingual) return bad("is_multilingual").with_expected("true or false");
    }
    if (const JsonValue value = optional(config, "max_initial_timestamp_index"); value.exists()) {
      const auto index = value.unsigned_integer();
      if (!index || *index > kMaxDimension) {
        return bad("max_initial_timestamp_index").with_expected("an integer");
      }
      whisper().max_initial_timestamp_index = static_cast<uint32_t>(*index);
    }
    SUSURRUS_RETURN_IF_ERROR(read_ids(config, "suppress_tokens", whisper().suppress_tokens));
    return read_ids(config, "begin_suppress_tokens", whisper().begin_suppress_tokens);
  }

  Status read_ids(JsonValue config, const char* key,
                  std::optional<std::vector<uint32_t>>& ids) const {
    const JsonValue list = optional(config, key);
    if (!list.exists()) return ok_status();
    if (!list.is_array()) return bad(key).with_expected("a list of token ids");
    ids.emplace();
    for (const JsonValue item : list.items()) {
      const auto id = item.unsigned_integer();
      if (!id) return bad(key).with_expected("a list of token ids");
      // An id that the model cannot produce needs no suppression.
      if (*id < result_.model.whisper()->dimensions.n_vocab)
        ids->push_back(static_cast<uint32_t>(*id));
    }
    return ok_status();
  }

  Status read_vocabulary() {
    const JsonValue vocab = optional(root_, "vocab");
    if (!vocab.exists()) return ok_status();
    const JsonValue encoding = optional(optional(root_, "tokenizer_config"), "vocab_encoding");
    auto vocabulary = read_apr2_vocabulary(vocab, encoding, whisper().dimensions.n_vocab,
                                           file_offset_, result_.warnings);
    if (!vocabulary) return vocabulary.error();
    model().vocabulary = std::move(vocabulary).value();
    return ok_status();
  }

  Status read_filterbank() {
    const JsonValue values = optional(root_, "mel_filterbank");
    if (!values.exists()) return ok_status();
    const uint64_t n_mels = whisper().dimensions.n_mels;
    const JsonValue shape = optional(root_, "mel_filterbank_shape");
    bool shape_fits = shape.is_array() && shape.size() == 2;
    uint64_t expected[] = {n_mels, uint64_t{kFrequencyBins}};
    size_t axis = 0;
    for (const JsonValue dim : shape.items()) {
      shape_fits = shape_fits && dim.unsigned_integer() == expected[axis++];
    }
    if (!shape_fits) {
      return error(ErrorReason::bad_filterbank, "mel_filterbank_shape")
          .with_expected("[" + std::to_string(n_mels) + ", " + std::to_string(kFrequencyBins) +
                         "]");
    }
    if (!values.is_array() || values.size() != n_mels * uint64_t{kFrequencyBins}) {
      return error(ErrorReason::bad_filterbank, "mel_filterbank")
          .with_expected(n_mels * uint64_t{kFrequencyBins})
          .with_got(values.size());
    }
    SUSURRUS_ASSIGN_OR_RETURN(
        AlignedBuffer filterbank,
        AlignedBuffer::allocate(n_mels * uint64_t{kFrequencyBins} * sizeof(float),
                                "mel_filterbank"));
    size_t index = 0;
    for (const JsonValue item : values.items()) {
      const auto number = item.number();
      const float weight = number ? static_cast<float>(*number) : NAN;
      if (!(weight >= 0) || std::isinf(weight)) {
        return error(ErrorReason::bad_filterbank, "mel_filterbank")
            .with_expected("finite numbers that are not negative");
      }
      filterbank.floats()[index++] = weight;
    }
    model().mel_filterbank = std::move(filterbank);
    return ok_status();
  }

  Status read_alignment_heads() {
    const JsonValue heads = optional(root_, "alignment_heads");
    if (!heads.exists()) return ok_status();
    if (!heads.is_array()) return bad("alignment_heads").with_expected("a list of pairs");
    const WhisperDimensions& d = whisper().dimensions;
    size_t dropped = 0;
    for (const JsonValue pair : heads.items()) {
      uint64_t numbers[2] = {};
      size_t count = 0;
      for (const JsonValue item : pair.items()) {
        const auto number = item.unsigned_integer();
        if (!number || count == 2) return bad("alignment_heads").with_expected("pairs of integers");
        numbers[count++] = *number;
      }
      if (count != 2) return bad("alignment_heads").with_expected("pairs of integers");
      // Lists inherited from a larger model name heads that are not there (whisper-sources.md §5).
      if (numbers[0] < d.n_text_layer && numbers[1] < d.n_text_head) {
        whisper().alignment_heads.emplace_back(numbers[0], numbers[1]);
      } else {
        ++dropped;
      }
    }
    if (dropped > 0) {
      result_.warnings.push_back("alignment_heads: " + std::to_string(dropped) + " of " +
                                 std::to_string(dropped + whisper().alignment_heads.size()) +
                                 " are not in the model and are dropped");
    }
    return ok_status();
  }

  void read_encryption() {
    const JsonValue scheme = optional(root_, "encryption");
    const auto piece = scheme["piece_size"].unsigned_integer();
    if (scheme["version"].unsigned_integer() == 1 && scheme["cipher"].text() == "AES-256-GCM" &&
        piece && *piece > 0) {
      result_.encryption_piece_bytes = *piece;
    }
  }

  JsonValue root_;
  uint16_t version_major_;
  uint64_t file_offset_;
  Apr2Metadata result_;
};

}  // namespace

Result<Apr2Metadata> read_apr2_metadata(const JsonDocument& document, uint16_t version_major,
                                        uint64_t file_offset) {
  return MetadataReader(document.root(), version_major, file_offset).read();
}

Result<Apr2Metadata> read_apr2_options(const JsonDocument& document,
                                       const WhisperDimensions& dimensions, uint64_t file_offset) {
  return MetadataReader(document.root(), 0, file_offset).read_options(dimensions);
}

std::string architecture_text(const WhisperDimensions& dimensions) {
  JsonWriter json;
  json.begin_object();
  for (const DimensionKey& key : kDimensionKeys) json.field(key.name, dimensions.*key.field);
  return std::move(json.end_object()).text();
}

std::optional<WhisperDimensions> read_architecture(JsonValue object) {
  WhisperDimensions dimensions;
  for (const DimensionKey& key : kDimensionKeys) {
    const auto value = object[key.name].unsigned_integer();
    if (!value || *value == 0 || *value > UINT32_MAX) return std::nullopt;
    dimensions.*key.field = static_cast<uint32_t>(*value);
  }
  return dimensions;
}

}  // namespace susurrus
