#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "container/tensor_info.h"

namespace susurrus {

/// What a tensor is used for, which decides how it lies in memory.
enum class WeightKind : uint8_t {
  values,       // as stored: biases, norms, position tables
  matrix,       // (out, in), multiplied by linear layers
  convolution,  // (out, in, 3) in the file; becomes a matrix (out, 3 · in)
};

/// A tensor that a model needs, under its canonical name.
struct WantedTensor {
  std::string name;
  Shape shape;
  WeightKind kind = WeightKind::values;
  /// A vector that some writers store with two dimensions, one of them 1.
  bool may_be_column = false;
  /// Models may do without it.
  bool is_optional = false;
};

/// The name that a family uses for a tensor, whatever a file calls it. Unknown names come back unchanged.
using CanonicalName = std::string(std::string_view name);

/// What a source may do differently.
struct TensorMatchRules {
  /// ggml's order over the same bytes, accepted with a warning (apr.md 9.14).
  bool may_reverse_dims = true;
  /// More files follow.
  bool may_lack_any = false;
};

/// Assigns a file's tensors to the tensors that a model needs.
struct TensorMatch {
  static constexpr uint32_t kAbsent = ~0u;
  std::vector<WantedTensor> tensors;   // as they were wanted
  std::vector<uint32_t> sources;       // for each: index into the file's list, or kAbsent
  std::optional<uint32_t> filterbank;  // index of the tensor that holds it
  std::vector<std::string> warnings;
};

/// Finds every wanted tensor and checks names, types and shapes: apr.md §10, cases 51 (after aliases), 76, 77, 79, 80.
Result<TensorMatch> match_tensors(std::vector<WantedTensor> wanted,
                                  std::span<const TensorInfo> tensors, CanonicalName* canonical,
                                  const TensorMatchRules& rules);

/// The tensor that holds a filterbank of this shape; nullopt if there is none. bad_filterbank: it is of another type or shape.
Result<std::optional<uint32_t>> find_filterbank(std::string_view name, const Shape& shape,
                                                std::span<const TensorInfo> tensors);

}  // namespace susurrus
