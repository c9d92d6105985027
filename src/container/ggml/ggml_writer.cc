#include "container/ggml/ggml_writer.h"

#include <algorithm>
#include <utility>

#include "base/append.h"
#include "container/ggml/ggml_types.h"
#include "container/read_error.h"
#include "facts/dtype_names.inc"
#include "facts/whisper.h"
#include "families/whisper/dimension_order.h"

namespace susurrus {
namespace {

constexpr uint64_t kMostNumber = 0x7FFFFFFF;  // they are signed
constexpr uint32_t kMostTokenBytes = 1024;
/// Published files of all official sizes end their vocabulary here; readers know the control tokens that follow.
constexpr uint32_t kOfficialTokens = kMultilingualTextTokens;

bool is_position_table(std::string_view name) { return name.ends_with("positional_embedding"); }

bool is_convolution_bias(std::string_view name, const Shape& shape) {
  return name.starts_with("encoder.conv") && shape.rank() == 1;
}

uint32_t stored_token_count(uint32_t vocabulary_size, uint32_t token_count) {
  const bool is_official =
      vocabulary_size >= kEnglishVocabulary && vocabulary_size <= kCantoneseVocabulary;
  return is_official ? std::min(token_count, kOfficialTokens) : token_count;
}

}  // namespace

Dtype GgmlWriter::tensor_dtype(std::string_view name, const Shape& shape, Dtype file_dtype) {
  if (shape.rank() == 1 || is_position_table(name)) return Dtype::f32;
  if (shape.rank() == 3 && file_dtype != Dtype::f32) return Dtype::f16;
  return file_dtype;
}

Result<std::unique_ptr<GgmlWriter>> GgmlWriter::plan(const WhisperDimensions& dimensions,
                                                     std::vector<TensorInfo> tensors,
                                                     VocabularyBytes vocabulary,
                                                     std::span<const float> filterbank,
                                                     Dtype dtype) {
  std::unique_ptr<GgmlWriter> writer(new GgmlWriter(std::move(tensors)));
  writer->dimensions_ = dimensions;
  writer->vocabulary_ = std::move(vocabulary);
  writer->filterbank_.assign(filterbank.begin(), filterbank.end());
  writer->dtype_ = dtype;
  SUSURRUS_RETURN_IF_ERROR(writer->check_tensors());
  SUSURRUS_RETURN_IF_ERROR(writer->check());
  return writer;
}

Status GgmlWriter::check() const {
  if (!ggml_file_type(dtype_)) {
    return wrong_argument("dtype")
        .with_expected(SUSURRUS_GGML_FILE_DTYPES)
        .with_got(dtype_traits(dtype_).name);
  }
  if (dimensions_.n_mels != 80 && dimensions_.n_mels != 128) {
    return wrong_argument("n_mels").with_expected("80 or 128").with_got(dimensions_.n_mels);
  }
  if (filterbank_.size() != size_t{dimensions_.n_mels} * kFrequencyBins) {
    return wrong_argument("mel filterbank")
        .with_expected(uint64_t{dimensions_.n_mels} * kFrequencyBins)
        .with_got(filterbank_.size());
  }
  for (uint32_t id = 0; id < vocabulary_.token_count(); ++id) {
    if (vocabulary_.token(id).size() > kMostTokenBytes) {
      return wrong_argument("vocabulary")
          .with_expected("tokens of at most 1024 bytes")
          .with_got(id);
    }
  }
  for (const TensorInfo& tensor : tensors()) {
    const Dtype wanted = tensor_dtype(tensor.name, tensor.shape, dtype_);
    if (tensor.dtype != wanted) {
      return wrong_argument(tensor.name)
          .with_expected(dtype_traits(wanted).name)
          .with_got(dtype_traits(tensor.dtype).name);
    }
    for (const uint64_t dim : tensor.shape.dims()) {
      if (dim > kMostNumber) return wrong_argument(tensor.name).with_expected("31-bit dimensions");
    }
  }
  return ok_status();
}

std::vector<uint8_t> GgmlWriter::file_header() const {
  std::vector<uint8_t> out = {'l', 'm', 'g', 'g'};
  for (const NamedDimension& dimension : kStoredDimensions) {
    append<uint32_t>(out, dimensions_.*dimension.field);
  }
  append<uint32_t>(out, ggml_file_type(dtype_).value_or(0));
  append<uint32_t>(out, dimensions_.n_mels);
  append<uint32_t>(out, kFrequencyBins);
  for (const float weight : filterbank_) append(out, weight);
  const uint32_t count = stored_token_count(dimensions_.n_vocab, vocabulary_.token_count());
  append<uint32_t>(out, count);
  for (uint32_t id = 0; id < count; ++id) {
    const ByteSpan token = vocabulary_.token(id);
    append<uint32_t>(out, static_cast<uint32_t>(token.size()));
    out.insert(out.end(), token.begin(), token.end());
  }
  return out;
}

std::vector<uint8_t> GgmlWriter::tensor_header(const TensorInfo& tensor) const {
  std::vector<uint8_t> out;
  const bool is_column = is_convolution_bias(tensor.name, tensor.shape);
  append<uint32_t>(out, tensor.shape.rank() + (is_column ? 1 : 0));
  append<uint32_t>(out, static_cast<uint32_t>(tensor.name.size()));
  append<uint32_t>(out, ggml_type(tensor.dtype));
  // Fastest first.
  if (is_column) append<uint32_t>(out, 1);
  for (uint32_t i = tensor.shape.rank(); i-- > 0;) {
    append<uint32_t>(out, static_cast<uint32_t>(tensor.shape[i]));
  }
  append(out, tensor.name);
  return out;
}

}  // namespace susurrus
