// How a converter turns each tensor and the metadata into those of the target format.
#include <algorithm>
#include <utility>

#include "base/json_document.h"
#include "container/apr2/apr2_metadata.h"
#include "container/safetensors/safetensors_writer.h"
#include "convert/converter.h"
#include "families/whisper/name_families.h"
#include "families/whisper/tensor_names.h"
#include "families/whisper/whisper_tensors.h"

namespace susurrus {

Status Converter::plan(std::string_view json) {
  SUSURRUS_ASSIGN_OR_RETURN(const JsonDocument document, JsonDocument::parse(json, JsonOrigin{}));
  SUSURRUS_ASSIGN_OR_RETURN(Apr2Metadata metadata, read_apr2_metadata(document, 2, 0));
  SUSURRUS_RETURN_IF_ERROR(adapt_name_family(source_tensors_));
  std::vector<TensorInfo> tensors;
  for (const CheckpointTensor& tensor : source_tensors_) tensors.push_back(tensor.info);
  SUSURRUS_RETURN_IF_ERROR(check_whisper_model(metadata.model, tensors));
  metadata_ = std::move(metadata.model);
  SUSURRUS_ASSIGN_OR_RETURN(plan_, plan_tensors(tensors));
  for (auto* list : {&metadata.warnings, &plan_.warnings}) {
    for (std::string& warning : *list) warnings_.push_back(std::move(warning));
  }
  place_filterbank(tensors);
  switch (target_.format) {
    case Format::apr2: metadata_text_ = json; break;
    case Format::apr1: warn_of_lost_metadata("APR1"); break;
    case Format::ggml: warn_of_lost_metadata("ggml"); break;
    case Format::safetensors: break;  // the caller writes the metadata beside it
  }
  state_ = State::planned;
  return ok_status();
}

Result<ConversionPlan> Converter::plan_tensors(std::span<const TensorInfo> tensors) {
  const auto plan = [&](TypeRule rule, Dtype dtype) {
    return plan_conversion(metadata_.whisper()->dimensions, tensors, rule, dtype,
                           may_reverse_dims_);
  };
  const Dtype dtype = target_.dtype.value_or(Dtype::f32);
  switch (target_.format) {
    case Format::apr2: return plan(target_.dtype ? TypeRule::by_loss : TypeRule::exact, dtype);
    case Format::apr1: return plan(TypeRule::uniform, dtype);
    case Format::safetensors: {
      SUSURRUS_ASSIGN_OR_RETURN(ConversionPlan planned,
                                plan(target_.dtype ? TypeRule::uniform : TypeRule::stored, dtype));
      for (const PlannedTensor& tensor : planned.tensors) {
        if (SafetensorsWriter::has_dtype(tensor.dtype)) continue;
        return make_error(ErrorCode::invalid_argument, ErrorReason::option)
            .with_subject("dtype")
            .with_expected("f32, f16 or bf16, since SafeTensors has no blocks")
            .with_got(dtype_traits(tensor.dtype).name);
      }
      // Larger elements first, so that none begins between two multiples of its size.
      std::stable_partition(planned.tensors.begin(), planned.tensors.end(),
                            [](const PlannedTensor& tensor) { return tensor.dtype == Dtype::f32; });
      return planned;
    }
    case Format::ggml: {
      ggml_dtype_ = dtype;
      if (!target_.dtype) {
        SUSURRUS_ASSIGN_OR_RETURN(const ConversionPlan exact, plan(TypeRule::exact, dtype));
        SUSURRUS_ASSIGN_OR_RETURN(ggml_dtype_, ggml_file_dtype(exact));
      }
      return plan(TypeRule::by_kind, ggml_dtype_);
    }
  }
  return make_error(ErrorCode::internal_error, ErrorReason::internal).with_subject("format");
}

/// Only APR2 has it as a tensor.
void Converter::place_filterbank(std::span<const TensorInfo> tensors) {
  if (!plan_.filterbank || leaves_out_filterbank_) return;
  if (target_.format != Format::apr2) {
    warnings_.push_back(std::string(kFilterbankTensorName) +
                        " is left out: the filterbank of the metadata, or Slaney's, will count");
    return;
  }
  PlannedTensor tensor;
  tensor.name = kFilterbankTensorName;
  tensor.shape = tensors[*plan_.filterbank].shape;
  tensor.source = *plan_.filterbank;
  plan_.tensors.push_back(std::move(tensor));
}

void Converter::warn_of_lost_metadata(const std::string& format) {
  const WhisperMetadata& whisper = *metadata_.whisper();
  if (whisper.suppress_tokens || whisper.begin_suppress_tokens ||
      whisper.max_initial_timestamp_index || !whisper.alignment_heads.empty()) {
    warnings_.push_back(format +
                        " has no place for lists of suppressed tokens, the latest first timestamp "
                        "and alignment heads: the defaults will count");
  }
  const uint32_t n_mels = whisper.dimensions.n_mels;
  if (n_mels != 80 && n_mels != 128 && metadata_.mel_filterbank.byte_count() > 0) {
    metadata_.mel_filterbank.reset();
    warnings_.push_back(format + " has no place for a filterbank of neither 80 nor 128 bands");
  }
}

}  // namespace susurrus
