#include "families/whisper/name_families.h"

#include "families/whisper/tensor_names.h"

namespace susurrus {
namespace {

constexpr uint64_t kKernelWidth = 3;

/// Both stacks: where one family says the first, the other says the second.
constexpr std::pair<std::string_view, std::string_view> kMarks[] = {
    {".blocks.", ".layers."}, {".mlp1.", ".mlp."}, {".mlp2.", ".mlp."}};

bool is_whisper(std::string_view name) {
  if (name.starts_with("model.")) name.remove_prefix(6);
  return name.starts_with("encoder.") || name.starts_with("decoder.");
}

const TensorInfo* find_mark(std::span<const CheckpointTensor> tensors, std::string_view mark) {
  for (const CheckpointTensor& tensor : tensors) {
    if (is_whisper(tensor.info.name) && tensor.info.name.find(mark) != std::string::npos) {
      return &tensor.info;
    }
  }
  return nullptr;
}

void rename_mlp(std::string& name) {
  for (const auto& [from, to] : {std::pair(".mlp1.", ".mlp.0."), std::pair(".mlp2.", ".mlp.2.")}) {
    const size_t at = name.find(from);
    if (at != std::string::npos) name.replace(at, std::string_view(from).size(), to);
  }
}

}  // namespace

Status adapt_name_family(std::span<CheckpointTensor> tensors) {
  for (const auto& [one, other] : kMarks) {
    const TensorInfo* first = find_mark(tensors, one);
    const TensorInfo* second = find_mark(tensors, other);
    if (first != nullptr && second != nullptr) {
      return make_error(ErrorCode::malformed, ErrorReason::contradiction)
          .at(second->file_offset)
          .with_subject(second->name)
          .with_expected("names of one family, as " + first->name);
    }
  }
  for (CheckpointTensor& tensor : tensors) {
    if (!is_whisper(tensor.info.name)) continue;
    rename_mlp(tensor.info.name);
    const Shape& shape = tensor.info.shape;
    const std::string name = canonical_tensor_name(tensor.info.name);
    const bool is_convolution = name == "encoder.conv1.weight" || name == "encoder.conv2.weight";
    if (is_convolution && shape.rank() == 3 && shape[1] == kKernelWidth &&
        shape[2] != kKernelWidth) {
      tensor.info.shape = {shape[0], shape[2], shape[1]};
      tensor.is_channels_last = true;
    }
  }
  return ok_status();
}

}  // namespace susurrus
