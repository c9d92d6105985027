#include <cmath>
#include <utility>

#include "container/apr1/apr1_writer.h"
#include "container/apr2/apr2_metadata.h"
#include "container/apr2/apr2_writer.h"
#include "convert/compose/description_values.h"
#include "convert/compose/file_parts.h"

namespace susurrus {
namespace {

/// What APR2 and APR1 have in common: metadata as APR2 has them, and tensors.
class AprParts : public PartsWriter {
 public:
  Status plan(JsonValue description, bool is_apr1);
  Compression compression() const override { return compression_; }

 protected:
  std::vector<TensorInfo> stored_tensors() const;

  std::string metadata_text_;
  ModelMetadata metadata_;
  uint32_t alignment_ = 64;

 private:
  Status add_tensor(JsonValue description, bool is_apr1);

  std::vector<TensorInfo> tensors_;
  Compression compression_ = Compression::none;
};

Status AprParts::plan(JsonValue description, bool is_apr1) {
  const auto text = description["metadata"].text();
  if (!text) return wrong_description("metadata").with_expected("an object");
  metadata_text_ = *text;
  SUSURRUS_ASSIGN_OR_RETURN(const JsonDocument document, JsonDocument::parse(*text, JsonOrigin{}));
  SUSURRUS_ASSIGN_OR_RETURN(Apr2Metadata metadata, read_apr2_metadata(document, 2, 0));
  metadata_ = std::move(metadata.model);
  if (description["compress"].boolean().value_or(false)) {
    compression_ = is_apr1 ? Compression::always : Compression::where_smaller;
  }
  alignment_ = static_cast<uint32_t>(description["alignment"].unsigned_integer().value_or(64));
  for (const JsonValue tensor : description["tensors"].items()) {
    SUSURRUS_RETURN_IF_ERROR(add_tensor(tensor, is_apr1));
  }
  return ok_status();
}

Status AprParts::add_tensor(JsonValue description, bool is_apr1) {
  TensorInfo tensor;
  SUSURRUS_ASSIGN_OR_RETURN(tensor.name, byte_string(description["name"], "name"));
  const auto name = description["dtype"].text().value_or("");
  const auto dtype = is_apr1 && name == "int8" ? std::optional(Dtype::i8) : dtype_from_name(name);
  if (!dtype) {
    return wrong_description(tensor.name).with_expected("a dtype of the format").with_got(name);
  }
  tensor.dtype = *dtype;
  SUSURRUS_ASSIGN_OR_RETURN(tensor.shape,
                            shape_of(description["shape"], limits::kMaxDims, tensor.name));
  const auto byte_count = tensor_byte_count(*dtype, tensor.shape);
  const auto element_count = tensor.shape.element_count();
  if (!byte_count || !element_count) {
    return make_error(ErrorCode::invalid_argument, ErrorReason::bad_shape)
        .with_subject(tensor.name)
        .with_expected("sizes that fit 64 bits, and rows of whole blocks")
        .with_got(name);
  }
  FilePart part;
  if (description["scale"].exists()) {
    SUSURRUS_ASSIGN_OR_RETURN(part.scale, float_of_bits(description["scale"], tensor.name));
    if (!is_apr1 || *dtype != Dtype::i8 || !(part.scale > 0 && std::isfinite(part.scale))) {
      return make_error(ErrorCode::invalid_argument, ErrorReason::bad_scale)
          .with_subject(tensor.name)
          .with_expected("a positive scale, of APR1's i8 alone");
    }
  }
  part.name = tensor.name;
  part.dtype = dtype_traits(*dtype).name;
  if (is_weight_dtype(*dtype) || (is_apr1 && *dtype == Dtype::i8)) part.weights = *dtype;
  part.element_count = *element_count;
  part.byte_count = part.stored_byte_count = *byte_count;
  parts_.push_back(std::move(part));
  tensors_.push_back(std::move(tensor));
  return ok_status();
}

std::vector<TensorInfo> AprParts::stored_tensors() const {
  std::vector<TensorInfo> tensors = tensors_;
  for (size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].stored_byte_count = parts_[i].stored_byte_count;
    tensors[i].is_compressed = parts_[i].is_compressed;
    tensors[i].scale = parts_[i].scale;
    // Until a pass over the values has found it.
    if (tensors[i].dtype == Dtype::i8 && !(tensors[i].scale > 0)) tensors[i].scale = 1;
  }
  return tensors;
}

class Apr2Parts : public AprParts {
 public:
  Status open() override {
    Apr2WriterOptions options;
    options.alignment = alignment_;
    options.is_streaming = true;
    SUSURRUS_ASSIGN_OR_RETURN(writer_, Apr2Writer::plan(metadata_text_, stored_tensors(), options));
    return ok_status();
  }
  std::optional<uint64_t> file_byte_count() const override { return writer_->file_byte_count(); }
  Status begin(ByteSink& sink) override { return writer_->begin(metadata_text_, sink); }
  Status write(ByteSpan stored, ByteSink& sink) override { return writer_->write(stored, sink); }
  Status finish(ByteSink& sink) override { return writer_->finish(sink); }

 private:
  std::unique_ptr<Apr2Writer> writer_;
};

class Apr1Parts : public AprParts {
 public:
  Status open() override {
    const WhisperMetadata* whisper = metadata_.whisper();
    if (!whisper) {
      return wrong_description("model_type")
          .with_expected("whisper, which is all that APR1 holds")
          .with_got(metadata_.model_type.view());
    }
    SUSURRUS_ASSIGN_OR_RETURN(
        writer_, Apr1Writer::plan(whisper->dimensions, stored_tensors(), metadata_.vocabulary,
                                  std::as_const(metadata_.mel_filterbank).floats()));
    return ok_status();
  }
  std::optional<uint64_t> file_byte_count() const override { return writer_->file_byte_count(); }
  Status begin(ByteSink& sink) override { return writer_->begin(sink); }
  Status write(ByteSpan stored, ByteSink& sink) override { return writer_->write(stored, sink); }
  Status finish(ByteSink& sink) override { return writer_->finish(sink); }

 private:
  std::unique_ptr<Apr1Writer> writer_;
};

template <typename Parts>
PlannedParts planned(JsonValue description, bool is_apr1) {
  auto parts = std::make_unique<Parts>();
  SUSURRUS_RETURN_IF_ERROR(parts->plan(description, is_apr1));
  return std::unique_ptr<PartsWriter>(std::move(parts));
}

}  // namespace

PlannedParts plan_apr_parts(JsonValue description, bool is_apr1) {
  return is_apr1 ? planned<Apr1Parts>(description, true) : planned<Apr2Parts>(description, false);
}

}  // namespace susurrus
