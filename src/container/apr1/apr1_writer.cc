#include "container/apr1/apr1_writer.h"

#include "base/append.h"
#include "container/apr1/apr1_header.h"
#include "container/read_error.h"
#include "facts/whisper.h"
#include "families/whisper/dimension_order.h"

namespace susurrus {
namespace {

constexpr size_t kMostTensors = 65535;
constexpr size_t kMostNameBytes = kApr1StoredName - 1;

Apr1Quantization quantization_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16: return Apr1Quantization::f16;
    case Dtype::i8: return Apr1Quantization::int8;
    default: return Apr1Quantization::f32;
  }
}

}  // namespace

uint8_t apr1_model_type(const WhisperDimensions& d) {
  constexpr uint32_t kTinyLayers[] = {4, 6, 12, 24};
  constexpr uint8_t kLarge = 8;
  constexpr uint8_t kLargeV3 = 11;
  if (d.n_audio_layer == 32) {
    if (d.n_mels != 128) return kLarge;
    return d.n_text_layer == 4 ? kLargeV3 + 1 : kLargeV3;
  }
  uint8_t size = 0;
  for (uint8_t i = 0; i < std::size(kTinyLayers); ++i) {
    if (kTinyLayers[i] == d.n_audio_layer) size = i;
  }
  return static_cast<uint8_t>(2 * size + (d.n_vocab == kEnglishVocabulary ? 1 : 0));
}

Result<std::unique_ptr<Apr1Writer>> Apr1Writer::plan(const WhisperDimensions& dimensions,
                                                     std::vector<TensorInfo> tensors,
                                                     const VocabularyBytes& vocabulary,
                                                     std::span<const float> filterbank) {
  std::unique_ptr<Apr1Writer> writer(new Apr1Writer());
  writer->dimensions_ = dimensions;
  writer->tensors_ = std::move(tensors);
  SUSURRUS_RETURN_IF_ERROR(writer->check_tensors());
  if (vocabulary.token_count() > 0) SUSURRUS_RETURN_IF_ERROR(writer->encode_vocabulary(vocabulary));
  if (!filterbank.empty()) writer->encode_filterbank(dimensions.n_mels, filterbank);
  SUSURRUS_RETURN_IF_ERROR(writer->place_tensors());
  return writer;
}

Status Apr1Writer::check_tensors() const {
  if (tensors_.empty() || tensors_.size() > kMostTensors) {
    return wrong_argument("tensors").with_expected("1 to 65535").with_got(tensors_.size());
  }
  for (const TensorInfo& tensor : tensors_) {
    if (tensor.name.empty() || tensor.name.size() > kMostNameBytes) {
      return wrong_argument(tensor.name)
          .with_expected("a name of 1 to 47 bytes")
          .with_got(tensor.name.size());
    }
    if (tensor.shape.rank() == 0 || tensor.shape.rank() > kApr1Dims) {
      return wrong_argument(tensor.name)
          .with_expected("1 to 4 dimensions")
          .with_got(tensor.shape.rank());
    }
    for (const uint64_t dim : tensor.shape.dims()) {
      if (dim > ~uint32_t{0}) return wrong_argument(tensor.name).with_expected("32-bit dimensions");
    }
    const bool is_typed = tensor.dtype == Dtype::f32 || tensor.dtype == Dtype::f16 ||
                          (tensor.dtype == Dtype::i8 && tensor.scale > 0);
    if (!is_typed || tensor.dtype != tensors_[0].dtype ||
        tensor.is_compressed != tensors_[0].is_compressed) {
      return wrong_argument(tensor.name).with_expected("f32, f16 or scaled i8, as all tensors");
    }
    const auto raw = tensor_byte_count(tensor.dtype, tensor.shape);
    if (!raw || (!tensor.is_compressed && *raw != tensor.stored_byte_count)) {
      return wrong_argument(tensor.name)
          .with_expected(raw.value_or(0))
          .with_got(tensor.stored_byte_count);
    }
  }
  return ok_status();
}

Status Apr1Writer::encode_vocabulary(const VocabularyBytes& vocabulary) {
  append<uint32_t>(vocabulary_, 0);
  append<uint32_t>(vocabulary_, vocabulary.token_count());
  append<uint32_t>(vocabulary_, 0);  // merges: a token's id is its rank
  for (uint32_t id = 0; id < vocabulary.token_count(); ++id) {
    const ByteSpan token = vocabulary.token(id);
    if (token.size() > 0xFFFF) {
      return wrong_argument("vocabulary")
          .with_expected("tokens of at most 65535 bytes")
          .with_got(id);
    }
    append<uint16_t>(vocabulary_, static_cast<uint16_t>(token.size()));
    vocabulary_.insert(vocabulary_.end(), token.begin(), token.end());
  }
  const uint64_t size = vocabulary_.size() - sizeof(uint32_t);
  if (size > limits::kMetadataBytes) {
    return wrong_argument("vocabulary").with_expected(limits::kMetadataBytes).with_got(size);
  }
  store_le(vocabulary_.data(), static_cast<uint32_t>(size));
  return ok_status();
}

void Apr1Writer::encode_filterbank(uint32_t n_mels, std::span<const float> filterbank) {
  append<uint32_t>(filterbank_, static_cast<uint32_t>(8 + filterbank.size_bytes()));
  append<uint32_t>(filterbank_, n_mels);
  append<uint32_t>(filterbank_, static_cast<uint32_t>(filterbank.size() / n_mels));
  for (const float weight : filterbank) append(filterbank_, weight);
}

Status Apr1Writer::place_tensors() {
  data_offset_ = kApr1HeaderBytes + tensors_.size() * kApr1EntryBytes;
  if (tensors_[0].dtype == Dtype::i8) data_offset_ += tensors_.size() * kApr1ScaleBytes;
  data_end_ = data_offset_;
  for (TensorInfo& tensor : tensors_) {
    tensor.raw_byte_count = tensor_byte_count(tensor.dtype, tensor.shape).value_or(0);
    tensor.file_offset = data_end_;
    const auto end = checked_add(data_end_, tensor.stored_byte_count);
    if (!end) return wrong_argument(tensor.name).with_expected("offsets that fit 64 bits");
    data_end_ = *end;
  }
  file_byte_count_ = data_end_ + vocabulary_.size() + filterbank_.size() + kApr1CrcBytes;
  return ok_status();
}

std::vector<uint8_t> Apr1Writer::encode_start() const {
  const TensorInfo& first = tensors_[0];
  std::vector<uint8_t> out(kApr1Magic.begin(), kApr1Magic.end());
  out.reserve(data_offset_);
  append<uint16_t>(out, 1);
  append<uint8_t>(out, apr1_model_type(dimensions_));
  append<uint8_t>(out, static_cast<uint8_t>(quantization_of(first.dtype)));
  append<uint8_t>(out, first.is_compressed ? 1 : 0);
  append<uint16_t>(out, static_cast<uint16_t>(tensors_.size()));
  append<uint8_t>(out, (vocabulary_.empty() ? 0 : apr1_flags::kVocabulary) |
                           (filterbank_.empty() ? 0 : apr1_flags::kFilterbank));
  for (const NamedDimension& dimension : kStoredDimensions) {
    append<uint32_t>(out, dimensions_.*dimension.field);
  }
  for (const TensorInfo& tensor : tensors_) {
    const size_t entry = out.size();
    append(out, tensor.name);
    out.resize(entry + kApr1StoredName);
    append<uint64_t>(out, tensor.file_offset - data_offset_);
    append<uint64_t>(out, tensor.stored_byte_count);
    append<uint64_t>(out, tensor.shape.element_count().value_or(0));
    for (uint32_t i = 0; i < kApr1Dims; ++i) {
      append<uint32_t>(out, i < tensor.shape.rank() ? static_cast<uint32_t>(tensor.shape[i]) : 0);
    }
    append<uint8_t>(out, static_cast<uint8_t>(tensor.shape.rank()));
    out.resize(entry + kApr1EntryBytes);
  }
  if (first.dtype == Dtype::i8) {
    for (const TensorInfo& tensor : tensors_) append<float>(out, tensor.scale);
  }
  return out;
}

Status Apr1Writer::begin(ByteSink& sink) {
  SUSURRUS_CHECK(position_ == 0);
  return emit(encode_start(), sink);
}

Status Apr1Writer::write(ByteSpan stored, ByteSink& sink) {
  if (stored.empty()) return ok_status();
  while (current_ < tensors_.size() &&
         position_ == tensors_[current_].file_offset + tensors_[current_].stored_byte_count) {
    ++current_;
  }
  if (current_ == tensors_.size()) {
    return wrong_argument("write").with_got("bytes behind the last tensor");
  }
  const TensorInfo& tensor = tensors_[current_];
  const uint64_t left = tensor.file_offset + tensor.stored_byte_count - position_;
  if (stored.size() > left) {
    return wrong_argument(tensor.name).with_expected(left).with_got(stored.size());
  }
  return emit(stored, sink);
}

Status Apr1Writer::finish(ByteSink& sink) {
  if (position_ != data_end_) {
    return make_error(ErrorCode::wrong_state, ErrorReason::state)
        .with_subject("finish")
        .with_expected(data_end_)
        .with_got(position_);
  }
  SUSURRUS_RETURN_IF_ERROR(emit(vocabulary_, sink));
  SUSURRUS_RETURN_IF_ERROR(emit(filterbank_, sink));
  std::vector<uint8_t> crc;
  append<uint32_t>(crc, crc_.value());
  return emit(crc, sink);
}

Status Apr1Writer::emit(ByteSpan bytes, ByteSink& sink) {
  crc_.update(bytes);
  position_ += bytes.size();
  return bytes.empty() ? ok_status() : sink.write(bytes);
}

}  // namespace susurrus
