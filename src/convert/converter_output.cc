// The writing pass of a converter: its tensors as the format's writer takes them, and the writer.
#include <utility>

#include "container/apr1/apr1_writer.h"
#include "container/ggml/ggml_writer.h"
#include "container/safetensors/safetensors_writer.h"
#include "convert/converter.h"
#include "families/whisper/tensor_names.h"

namespace susurrus {
namespace {

/// Stored bytes of one tensor after the other, into the file.
class WriterSink : public ByteSink {
 public:
  WriterSink(ModelWriter& writer, ByteSink& file) : writer_(writer), file_(file) {}
  Status write(ByteSpan bytes) override { return writer_.write(bytes, file_); }

 private:
  ModelWriter& writer_;
  ByteSink& file_;
};

}  // namespace

Status Converter::start_writing() {
  if (needs_measuring() && measured_.size() != plan_.tensors.size()) {
    return make_error(ErrorCode::wrong_state, ErrorReason::state)
        .with_subject("converter")
        .with_expected("the measuring pass first");
  }
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<TensorInfo> tensors, output_tensors());
  SUSURRUS_ASSIGN_OR_RETURN(writer_, open_writer(std::move(tensors)));
  written_.clear();
  encoder_target_ = std::make_unique<WriterSink>(*writer_, output_);
  return ok_status();
}

Result<std::unique_ptr<ModelWriter>> Converter::open_writer(std::vector<TensorInfo> tensors) {
  const std::span<const float> filterbank = std::as_const(metadata_.mel_filterbank).floats();
  // Written before the first tensor.
  const auto begun = [this](auto writer) -> Result<std::unique_ptr<ModelWriter>> {
    if (!writer) return writer.error();
    SUSURRUS_RETURN_IF_ERROR((*writer)->begin(output_));
    return std::unique_ptr<ModelWriter>(std::move(writer).value());
  };
  switch (target_.format) {
    case Format::apr1:
      return begun(Apr1Writer::plan(metadata_.whisper()->dimensions, std::move(tensors),
                                    metadata_.vocabulary, filterbank));
    case Format::safetensors: return begun(SafetensorsWriter::plan(std::move(tensors)));
    case Format::ggml:
      return begun(GgmlWriter::plan(metadata_.whisper()->dimensions, std::move(tensors),
                                    metadata_.vocabulary, filterbank, ggml_dtype_));
    case Format::apr2: break;
  }
  SUSURRUS_ASSIGN_OR_RETURN(
      auto writer, Apr2FilesWriter::plan(metadata_text_, std::move(tensors), target_.files));
  files_ = writer.get();
  return std::unique_ptr<ModelWriter>(std::move(writer));
}

Result<std::vector<TensorInfo>> Converter::output_tensors() const {
  std::vector<TensorInfo> tensors;
  for (uint32_t i = 0; i < tensor_count(); ++i) {
    TensorInfo tensor;
    const std::string& name = plan_.tensors[i].name;
    tensor.name = target_.format == Format::safetensors ? hub_tensor_name(name) : name;
    tensor.dtype = plan_.tensors[i].dtype;
    tensor.shape = plan_.tensors[i].shape;
    tensor.scale = plan_.tensors[i].scale;
    const auto raw = tensor_byte_count(tensor.dtype, tensor.shape);
    if (!raw)
      return make_error(ErrorCode::internal_error, ErrorReason::internal).with_subject(tensor.name);
    tensor.is_compressed = is_compressed(i);
    tensor.stored_byte_count = tensor.is_compressed ? measured_[i] : *raw;
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace susurrus
