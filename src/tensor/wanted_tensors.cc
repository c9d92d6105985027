#include "tensor/wanted_tensors.h"

#include "base/name_index.h"

namespace susurrus {
namespace {

std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (uint32_t i = 0; i < shape.rank(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

bool is_reversed(const Shape& shape, const Shape& expected) {
  if (shape.rank() != expected.rank()) return false;
  for (uint32_t i = 0; i < shape.rank(); ++i) {
    if (shape[i] != expected[shape.rank() - 1 - i]) return false;
  }
  return true;
}

bool is_column_of(const Shape& shape, const Shape& expected) {
  return expected.rank() == 1 && shape.rank() == 2 && (shape[0] == 1 || shape[1] == 1) &&
         shape[0] * shape[1] == expected[0];
}

Status check_one(const WantedTensor& wanted, const TensorInfo& found, bool may_reverse,
                 bool& reversed) {
  if (!is_weight_dtype(found.dtype) && found.scale == 0) {
    return make_error(ErrorCode::malformed, ErrorReason::model)
        .at(found.file_offset)
        .with_subject(found.name)
        .with_expected("a floating-point or block dtype")
        .with_got(dtype_traits(found.dtype).name);
  }
  if (found.shape == wanted.shape) return ok_status();
  if (wanted.may_be_column && is_column_of(found.shape, wanted.shape)) return ok_status();
  // Blocks run along the last dimension, so it must stay the last one.
  if (may_reverse && is_reversed(found.shape, wanted.shape) &&
      tensor_byte_count(found.dtype, wanted.shape)) {
    reversed = true;
    return ok_status();
  }
  return make_error(ErrorCode::shape_mismatch, ErrorReason::model)
      .at(found.file_offset)
      .with_subject(found.name)
      .with_expected(shape_text(wanted.shape))
      .with_got(shape_text(found.shape));
}

/// `names`, one for each tensor, outlive the index.
Result<NameIndex> index_names(std::span<const std::string> names,
                              std::span<const TensorInfo> tensors) {
  NameIndex index;
  index.reserve(names.size());
  for (uint32_t i = 0; i < names.size(); ++i) index.add(names[i], i);
  index.sort();
  if (const auto* twice = index.duplicate()) {
    return make_error(ErrorCode::malformed, ErrorReason::duplicate)
        .at(tensors[twice->place].file_offset)
        .with_subject(tensors[twice->place].name)
        .with_got(tensors[twice[-1].place].name);
  }
  return index;
}

/// Names as many missing tensors as an error holds, and counts them all.
class MissingNames {
 public:
  void add(std::string_view name) {
    if (count_++ > 0) names_.append(", ");
    names_.append(name);
  }
  uint64_t count() const { return count_; }
  Error error(uint64_t needed) const {
    return make_error(ErrorCode::missing_tensor, ErrorReason::model)
        .with_subject(names_.view())
        .with_expected(std::to_string(needed) + " tensors")
        .with_got(std::to_string(count_) + " of them missing");
  }

 private:
  uint64_t count_ = 0;
  FixedString<120> names_;
};

}  // namespace

Result<TensorMatch> match_tensors(std::vector<WantedTensor> wanted,
                                  std::span<const TensorInfo> tensors, CanonicalName* canonical,
                                  const TensorMatchRules& rules) {
  std::vector<std::string> names;
  names.reserve(tensors.size());
  for (const TensorInfo& tensor : tensors) names.push_back(canonical(tensor.name));
  SUSURRUS_ASSIGN_OR_RETURN(const NameIndex index, index_names(names, tensors));

  TensorMatch match;
  match.tensors = std::move(wanted);
  MissingNames missing;
  for (const WantedTensor& tensor : match.tensors) {
    const auto* found = index.find(tensor.name);
    match.sources.push_back(found == nullptr ? TensorMatch::kAbsent : found->place);
    if (found == nullptr && !rules.may_lack_any && !tensor.is_optional) missing.add(tensor.name);
  }
  if (missing.count() > 0) return missing.error(match.tensors.size());

  bool reversed = false;
  for (size_t i = 0; i < match.tensors.size(); ++i) {
    if (match.sources[i] == TensorMatch::kAbsent) continue;
    SUSURRUS_RETURN_IF_ERROR(
        check_one(match.tensors[i], tensors[match.sources[i]], rules.may_reverse_dims, reversed));
  }
  if (reversed) match.warnings.push_back("some tensors list their dimensions in reverse");
  return match;
}

Result<std::optional<uint32_t>> find_filterbank(std::string_view name, const Shape& shape,
                                                std::span<const TensorInfo> tensors) {
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    const TensorInfo& found = tensors[i];
    if (found.name != name) continue;
    if (found.dtype != Dtype::f32 || found.shape != shape) {
      return make_error(ErrorCode::malformed, ErrorReason::bad_filterbank)
          .at(found.file_offset)
          .with_subject(found.name)
          .with_expected("f32 " + shape_text(shape))
          .with_got(shape_text(found.shape));
    }
    return std::optional<uint32_t>(i);
  }
  return std::optional<uint32_t>();
}

}  // namespace susurrus
