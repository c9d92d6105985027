#include "container/ggml/ggml_reader.h"

#include <cmath>

#include "base/byte_cursor.h"
#include "base/limits.h"
#include "container/ggml/ggml_types.h"
#include "facts/whisper.h"
#include "families/whisper/dimension_order.h"

namespace susurrus {
namespace {

constexpr uint32_t kMaxDimension = 1 << 24;
constexpr uint32_t kMaxTokenBytes = 1024;
constexpr uint32_t kMaxDims = 4;
constexpr uint64_t kHeaderBytes = 48;
constexpr uint64_t kFileTypeOffset = 44;

/// Numbers are signed in this format; a negative one is larger than every limit here.
std::string signed_text(uint32_t number) { return std::to_string(static_cast<int32_t>(number)); }

}  // namespace

Status GgmlReader::start() { return expect(kHeaderBytes, "hparams", &GgmlReader::read_header); }

Status GgmlReader::read_header(ByteSpan bytes) {
  checkpoint_.format = "ggml";
  ByteCursor cursor(bytes);
  if (as_text(cursor.take(4)) != "lmgg") {
    return make_error(ErrorCode::unknown_format, ErrorReason::not_a_model)
        .at(0)
        .with_subject("magic")
        .with_expected("lmgg");
  }
  WhisperDimensions dimensions;
  for (const NamedDimension& field : kStoredDimensions) {
    const uint64_t offset = cursor.position();
    const uint32_t value = dimensions.*field.field = cursor.u32();
    const bool is_layer = std::string_view(field.name).ends_with("layer");
    const uint32_t limit = is_layer ? kMaxWhisperLayers : kMaxDimension;
    if (value == 0 || value > limit) {
      return malformed(ErrorReason::bad_metadata, offset, field.name)
          .with_expected("1 to " + std::to_string(limit))
          .with_got(signed_text(value));
    }
  }
  if (dimensions.n_text_state != dimensions.n_audio_state) {
    return malformed(ErrorReason::bad_metadata, 28, "n_text_state")
        .with_expected(dimensions.n_audio_state)
        .with_got(dimensions.n_text_state);
  }
  if (dimensions.n_mels != 80 && dimensions.n_mels != 128) {
    return malformed(ErrorReason::bad_metadata, 40, "n_mels")
        .with_expected("80 or 128")
        .with_got(dimensions.n_mels);
  }
  const uint32_t file_type = cursor.u32();
  SUSURRUS_RETURN_IF_ERROR(check_type(file_type));
  checkpoint_.metadata.field("ftype", file_type);
  checkpoint_.dimensions = dimensions;
  known_ = whisper_tensors(dimensions);
  known_index_.reserve(known_.size());
  for (uint32_t i = 0; i < known_.size(); ++i) known_index_.add(known_[i].name, i);
  known_index_.sort();
  seen_.resize(known_.size());
  return expect(8, "mel filterbank", &GgmlReader::read_filterbank_size);
}

/// Files of types, not tensors: another enumeration than that of the tensors' types.
Status GgmlReader::check_type(uint32_t file_type) {
  const uint32_t version = file_type / 1000;
  const uint32_t type = file_type % 1000;
  const bool is_float = type <= 1;
  const bool is_block = type == 2 || type == 3 || (type >= 7 && type <= 9);
  // Before version 2 blocks had other scales.
  if (is_float || (is_block && version == 2)) return ok_status();
  if (is_block) {
    return make_error(ErrorCode::unsupported_version, ErrorReason::version)
        .at(kFileTypeOffset)
        .with_subject("ftype")
        .with_expected("version 2 of quantised blocks")
        .with_got(signed_text(file_type));
  }
  const bool is_k = type >= 10 && type <= 14;  // in both enumerations
  return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported_dtype)
      .at(kFileTypeOffset)
      .with_subject("ftype")
      .with_expected("F32, F16, Q8_0, Q5_1, Q5_0, Q4_1 or Q4_0")
      .with_got(is_k ? ggml_type_name(type) : signed_text(file_type));
}

Status GgmlReader::read_filterbank_size(ByteSpan bytes) {
  ByteCursor cursor(bytes);
  const uint32_t n_mels = cursor.u32();
  const uint32_t bins = cursor.u32();
  if (n_mels != checkpoint_.dimensions->n_mels) {
    return malformed(ErrorReason::bad_filterbank, kHeaderBytes, "n_mel")
        .with_expected(checkpoint_.dimensions->n_mels)
        .with_got(signed_text(n_mels));
  }
  if (bins != kFrequencyBins) {
    return malformed(ErrorReason::bad_filterbank, kHeaderBytes + 4, "n_fft")
        .with_expected(kFrequencyBins)
        .with_got(signed_text(bins));
  }
  return expect(uint64_t{n_mels} * bins * sizeof(float), "mel filterbank",
                &GgmlReader::read_filterbank);
}

Status GgmlReader::read_filterbank(ByteSpan bytes) {
  SUSURRUS_ASSIGN_OR_RETURN(checkpoint_.mel_filterbank,
                            AlignedBuffer::allocate(bytes.size(), "mel filterbank"));
  std::memcpy(checkpoint_.mel_filterbank.data(), bytes.data(), bytes.size());
  for (size_t at = 0; at < bytes.size(); at += sizeof(float)) {
    const float weight = load_le<float>(bytes.data() + at);
    if (!(weight >= 0) || std::isinf(weight)) {
      return malformed(ErrorReason::bad_filterbank, position() - bytes.size() + at,
                       "mel filterbank")
          .with_expected("finite weights that are not negative");
    }
  }
  return expect(4, "vocabulary", &GgmlReader::read_token_count);
}

Status GgmlReader::read_token_count(ByteSpan bytes) {
  token_count_ = load_le<uint32_t>(bytes.data());
  if (token_count_ > checkpoint_.dimensions->n_vocab) {
    return malformed(ErrorReason::bad_vocabulary, position() - 4, "token count")
        .with_expected("0 to " + std::to_string(checkpoint_.dimensions->n_vocab))
        .with_got(signed_text(token_count_));
  }
  return next_token();
}

Status GgmlReader::next_token() {
  if (token_ends_.size() == token_count_) return end_vocabulary();
  return expect(4, "token length", &GgmlReader::read_token_length);
}

Status GgmlReader::read_token_length(ByteSpan bytes) {
  const uint32_t length = load_le<uint32_t>(bytes.data());
  if (length > kMaxTokenBytes) {
    return malformed(ErrorReason::bad_vocabulary, position() - 4, "token length")
        .with_expected("0 to " + std::to_string(kMaxTokenBytes))
        .with_got(length);
  }
  return expect(length, "token", &GgmlReader::read_token);
}

Status GgmlReader::read_token(ByteSpan bytes) {
  token_bytes_.insert(token_bytes_.end(), bytes.begin(), bytes.end());
  token_ends_.push_back(static_cast<uint32_t>(token_bytes_.size()));
  return next_token();
}

Status GgmlReader::end_vocabulary() {
  VocabularyBytes vocabulary(std::move(token_bytes_), std::move(token_ends_));
  // Token 94 is the byte A1 in both of Whisper's lists; whisper.cpp's fixtures have U+FFFD in its place.
  constexpr uint32_t kFirstCutToken = 94;
  if (vocabulary.token_count() > kFirstCutToken &&
      as_text(vocabulary.token(kFirstCutToken)) == "\xEF\xBF\xBD") {
    checkpoint_.warnings.emplace_back(
        "the vocabulary is damaged (U+FFFD for bytes) and is left out");
  } else {
    checkpoint_.vocabulary = std::move(vocabulary);
  }
  return next_tensor();
}

Status GgmlReader::next_tensor() {
  // There is no end mark: whisper.cpp stops where the first field of a header is cut off.
  if (left() < 4) {
    if (left() > 0) checkpoint_.warnings.emplace_back("bytes are left behind the last tensor");
    return complete();
  }
  return expect(12, "tensor header", &GgmlReader::read_tensor_header);
}

Status GgmlReader::read_tensor_header(ByteSpan bytes) {
  ByteCursor cursor(bytes);
  n_dims_ = cursor.u32();
  const uint32_t name_length = cursor.u32();
  type_ = cursor.u32();
  const uint64_t offset = position() - bytes.size();
  if (n_dims_ == 0 || n_dims_ > kMaxDims) {
    return malformed(ErrorReason::bad_shape, offset, "n_dims")
        .with_expected("1 to 4")
        .with_got(signed_text(n_dims_));
  }
  if (name_length == 0 || name_length > limits::kTensorNameBytes) {
    return malformed(ErrorReason::bad_name, offset + 4, "name_len")
        .with_expected("1 to 1024")
        .with_got(signed_text(name_length));
  }
  return expect(uint64_t{n_dims_} * 4 + name_length, "tensor header", &GgmlReader::read_tensor);
}

Status GgmlReader::read_tensor(ByteSpan bytes) {
  const uint64_t offset = position() - bytes.size();
  CheckpointTensor tensor;
  TensorInfo& info = tensor.info;
  info.name = as_text(bytes.subspan(size_t{n_dims_} * 4));
  const uint64_t name_offset = offset + size_t{n_dims_} * 4;
  const auto* known = known_index_.find(info.name);
  if (known == nullptr) {
    return malformed(ErrorReason::bad_name, name_offset, info.name)
        .with_expected("a tensor of Whisper");
  }
  if (seen_[known->place]) {
    return malformed(ErrorReason::duplicate, name_offset, info.name)
        .with_expected("each tensor once");
  }
  seen_[known->place] = true;
  SUSURRUS_ASSIGN_OR_RETURN(const Dtype dtype, ggml_dtype(type_, offset - 4, info.name));
  uint64_t dims[kMaxDims] = {};
  for (uint32_t i = 0; i < n_dims_; ++i) {
    const uint32_t dim = load_le<uint32_t>(bytes.data() + size_t{i} * 4);
    if (static_cast<int32_t>(dim) < 0) {
      return malformed(ErrorReason::bad_shape, offset + uint64_t{i} * 4, info.name)
          .with_expected("dimensions that are not negative")
          .with_got(signed_text(dim));
    }
    dims[i] = dim;
  }
  SUSURRUS_RETURN_IF_ERROR(set_ggml_shape(std::span(dims, n_dims_), dtype, offset, info));
  info.file_offset = position();
  const uint64_t byte_count = info.stored_byte_count;
  if (byte_count > left()) return truncated(info.name, byte_count, left());
  checkpoint_.tensors.push_back(std::move(tensor));
  return pass_over(byte_count, &GgmlReader::next_tensor);
}

}  // namespace susurrus
