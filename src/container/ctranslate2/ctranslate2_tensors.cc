#include <algorithm>

#include "base/name_index.h"
#include "container/ctranslate2/ctranslate2_reader.h"
#include "container/read_error.h"
#include "families/whisper/tensor_names.h"

namespace susurrus {
namespace {

struct VariableType {
  uint32_t byte_count;
  Dtype dtype;
};

constexpr VariableType kTypes[] = {{4, Dtype::f32}, {1, Dtype::i8},  {2, Dtype::i16},
                                   {4, Dtype::i32}, {2, Dtype::f16}, {2, Dtype::bf16}};
constexpr std::string_view kScaleSuffix = "_scale";

/// A module of CTranslate2 in a layer, and the modules whose rows it holds, in this order. An empty one is left out: keys
/// have no bias in Whisper, and a constant there would change no attention.
struct Module {
  std::string_view name;
  std::string_view parts[3];
};

constexpr Module kModules[] = {
    {"self_attention/layer_norm", {"attn_ln"}},
    {"self_attention/linear_0", {"attn.query", "attn.key", "attn.value"}},
    {"self_attention/linear_1", {"attn.out"}},
    {"attention/layer_norm", {"cross_attn_ln"}},
    {"attention/linear_0", {"cross_attn.query"}},
    {"attention/linear_1", {"cross_attn.key", "cross_attn.value"}},
    {"attention/linear_2", {"cross_attn.out"}},
    {"ffn/layer_norm", {"mlp_ln"}},
    {"ffn/linear_0", {"mlp.0"}},
    {"ffn/linear_1", {"mlp.2"}},
};

constexpr std::pair<std::string_view, std::string_view> kTopLevel[] = {
    {"encoder/conv1/weight", "encoder.conv1.weight"},
    {"encoder/conv1/bias", "encoder.conv1.bias"},
    {"encoder/conv2/weight", "encoder.conv2.weight"},
    {"encoder/conv2/bias", "encoder.conv2.bias"},
    {"encoder/position_encodings/encodings", "encoder.positional_embedding"},
    {"encoder/layer_norm/gamma", "encoder.ln_post.weight"},
    {"encoder/layer_norm/beta", "encoder.ln_post.bias"},
    {"decoder/embeddings/weight", "decoder.token_embedding.weight"},
    {"decoder/position_encodings/encodings", "decoder.positional_embedding"},
    {"decoder/layer_norm/gamma", "decoder.ln.weight"},
    {"decoder/layer_norm/beta", "decoder.ln.bias"},
};

/// What must be so for Whisper's network to be the one that is meant.
constexpr std::pair<std::string_view, int> kSettings[] = {
    {"activation", 3},  // GELU
    {"pre_norm", 1},
    {"alibi", 0},
    {"alibi_use_positive_positions", 0},
    {"scale_alibi", 0},
    {"scale_embeddings", 0},
    {"start_from_zero_embedding", 0},
};

std::string_view suffix_of(std::string_view parameter) {
  if (parameter == "weight" || parameter == "gamma") return ".weight";
  return parameter == "bias" || parameter == "beta" ? ".bias" : "";
}

/// OpenAI's names of the parts of a variable, in the order of their rows; none for a name that is not known.
std::vector<std::string> whisper_names(std::string_view name) {
  for (const auto& [from, to] : kTopLevel) {
    if (from == name) return {std::string(to)};
  }
  const size_t stack_end = name.find("/layer_");
  const size_t layer_end =
      name.find('/', stack_end == std::string_view::npos ? name.size() : stack_end + 1);
  const size_t module_end = name.rfind('/');
  if (layer_end == std::string_view::npos || module_end <= layer_end) return {};
  const std::string_view layer = name.substr(stack_end + 7, layer_end - stack_end - 7);
  const std::string_view module = name.substr(layer_end + 1, module_end - layer_end - 1);
  const std::string_view suffix = suffix_of(name.substr(module_end + 1));
  std::vector<std::string> names;
  for (const Module& known : kModules) {
    if (known.name != module || suffix.empty()) continue;
    for (std::string_view part : known.parts) {
      if (part.empty()) break;
      std::string& full = names.emplace_back(name.substr(0, stack_end));
      for (std::string_view text :
           {std::string_view(".blocks."), layer, std::string_view("."), part, suffix}) {
        full += text;
      }
    }
  }
  return names;
}

Error malformed(ErrorReason reason, const CTranslate2Variable& variable) {
  return susurrus::malformed(reason, variable.offset, variable.name);
}

class Mapper {
 public:
  Mapper(std::span<const CTranslate2Variable> variables, Checkpoint& checkpoint)
      : variables_(variables), checkpoint_(checkpoint) {
    for (uint32_t i = 0; i < variables.size(); ++i) index_.add(variables[i].name, i);
    index_.sort();
  }

  Status map() {
    if (const auto* twice = index_.duplicate()) {
      return malformed(ErrorReason::duplicate, variables_[twice->place]);
    }
    DeclaredDimensions stated;
    for (const CTranslate2Variable& variable : variables_) {
      if (variable.shape.rank() == 0) {
        SUSURRUS_RETURN_IF_ERROR(read_setting(variable, stated));
      } else if (!is_ctranslate2_setting(variable)) {
        SUSURRUS_RETURN_IF_ERROR(add(variable));
      }
    }
    SUSURRUS_ASSIGN_OR_RETURN(checkpoint_.dimensions,
                              dimensions_of_shapes(checkpoint_.tensors, stated));
    return ok_status();
  }

 private:
  static int setting_value(const CTranslate2Variable& variable) {
    const uint8_t* bytes = variable.bytes.data();
    switch (kTypes[variable.type].dtype) {
      case Dtype::i8: return load_le<int8_t>(bytes);
      case Dtype::i16: return load_le<int16_t>(bytes);
      case Dtype::i32: return load_le<int32_t>(bytes);
      default: return -1;
    }
  }

  static Status read_setting(const CTranslate2Variable& variable, DeclaredDimensions& stated) {
    const std::string_view name = variable.name;
    const std::string_view key = name.substr(name.rfind('/') + 1);
    const int value = setting_value(variable);
    if (key == "num_heads") {
      if (value <= 0) {
        return malformed(ErrorReason::bad_metadata, variable)
            .with_expected("a positive number")
            .with_got(std::to_string(value));
      }
      (name.starts_with("encoder/") ? stated.n_audio_head : stated.n_text_head) =
          static_cast<uint32_t>(value);
    }
    for (const auto& [known, wanted] : kSettings) {
      if (known == key && value != wanted) {
        return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported)
            .at(variable.offset)
            .with_subject(name)
            .with_expected(std::to_string(wanted))
            .with_got(std::to_string(value));
      }
    }
    return ok_status();
  }

  Status add(const CTranslate2Variable& variable) {
    const std::vector<std::string> names = whisper_names(variable.name);
    if (names.empty()) {
      return malformed(ErrorReason::bad_name, variable).with_expected("a variable of Whisper");
    }
    const Dtype stored = kTypes[variable.type].dtype;
    SUSURRUS_ASSIGN_OR_RETURN(const std::span<const uint8_t> scales, scales_of(variable, stored));
    const uint64_t rows = variable.shape[0] / names.size();
    if (rows * names.size() != variable.shape[0]) {
      return make_error(ErrorCode::shape_mismatch, ErrorReason::model)
          .at(variable.offset)
          .with_subject(variable.name)
          .with_expected("a multiple of " + std::to_string(names.size()) + " rows")
          .with_got(variable.shape[0]);
    }
    const uint64_t byte_count = variable.byte_count / names.size();
    for (size_t part = 0; part < names.size(); ++part) {
      if (names[part].ends_with(".key.bias")) continue;
      CheckpointTensor tensor;
      TensorInfo& info = tensor.info;
      info.name = names[part];
      info.dtype = scales.empty() ? stored : Dtype::f32;
      info.shape.append(rows);
      for (uint32_t i = 1; i < variable.shape.rank(); ++i) info.shape.append(variable.shape[i]);
      info.raw_byte_count = tensor_byte_count(info.dtype, info.shape).value_or(0);
      info.stored_byte_count = byte_count;
      info.file_offset = variable.offset + part * byte_count;
      SUSURRUS_RETURN_IF_ERROR(
          read_divisors(scales.subspan(scales.empty() ? 0 : part * rows * sizeof(float)), variable,
                        scales.empty() ? 0 : rows, tensor.row_divisors));
      checkpoint_.tensors.push_back(std::move(tensor));
    }
    return ok_status();
  }

  /// The scales of the rows of integers; empty for floats. Their bytes are those of the variable beside it.
  Result<std::span<const uint8_t>> scales_of(const CTranslate2Variable& variable,
                                             Dtype stored) const {
    if (stored != Dtype::i8) {
      if (is_weight_dtype(stored)) return std::span<const uint8_t>();
      return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported_dtype)
          .at(variable.offset)
          .with_subject(variable.name)
          .with_expected("f32, f16, bf16 or i8")
          .with_got(dtype_traits(stored).name);
    }
    const auto* found = index_.find(variable.name + std::string(kScaleSuffix));
    if (found == nullptr) {
      return make_error(ErrorCode::missing_tensor, ErrorReason::model)
          .with_subject(variable.name + std::string(kScaleSuffix));
    }
    const CTranslate2Variable& scale = variables_[found->place];
    if (kTypes[scale.type].dtype != Dtype::f32 || scale.shape != Shape({variable.shape[0]})) {
      return make_error(ErrorCode::shape_mismatch, ErrorReason::model)
          .at(scale.offset)
          .with_subject(scale.name)
          .with_expected("f32, one for each of " + std::to_string(variable.shape[0]) + " rows");
    }
    return std::span<const uint8_t>(scale.bytes);
  }

  Status read_divisors(std::span<const uint8_t> bytes, const CTranslate2Variable& variable,
                       uint64_t count, std::vector<float>& divisors) const {
    for (uint64_t row = 0; row < count; ++row) {
      const float divisor = load_le<float>(bytes.data() + row * sizeof(float));
      if (!(divisor > 0) || divisor > 3.402823466e38f) {
        const auto* scale = index_.find(variable.name + std::string(kScaleSuffix));
        const CTranslate2Variable& found = variables_[scale->place];
        const size_t at = static_cast<size_t>(bytes.data() - found.bytes.data());
        return make_error(ErrorCode::malformed, ErrorReason::bad_scale)
            .at(found.offset + at + row * sizeof(float))
            .with_subject(found.name)
            .with_expected("a positive number");
      }
      divisors.push_back(divisor);
    }
    return ok_status();
  }

  std::span<const CTranslate2Variable> variables_;
  Checkpoint& checkpoint_;
  NameIndex index_;
};

}  // namespace

uint32_t ctranslate2_type_bytes(uint8_t type) {
  return type < std::size(kTypes) ? kTypes[type].byte_count : 0;
}

bool is_ctranslate2_setting(const CTranslate2Variable& variable) {
  return variable.shape.rank() == 0 || std::string_view(variable.name).ends_with(kScaleSuffix);
}

Status map_ctranslate2_variables(std::span<const CTranslate2Variable> variables,
                                 Checkpoint& checkpoint) {
  return Mapper(variables, checkpoint).map();
}

}  // namespace susurrus
