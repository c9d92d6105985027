#include <algorithm>
#include <utility>

#include "families/whisper/tensor_names.h"

namespace susurrus {
namespace {

using Alias = std::pair<std::string_view, std::string_view>;

// apr.md §7.2 and whisper-sources.md §2: names outside blocks.
constexpr Alias kTopLevel[] = {
    {"encoder.embed_positions.weight", kEncoderPositionsName},
    {"decoder.embed_positions.weight", "decoder.positional_embedding"},
    {"decoder.embed_tokens.weight", "decoder.token_embedding.weight"},
    {"decoder.token_embedding", "decoder.token_embedding.weight"},
    {"encoder.layer_norm.weight", "encoder.ln_post.weight"},
    {"encoder.layer_norm.bias", "encoder.ln_post.bias"},
    {"decoder.layer_norm.weight", "decoder.ln.weight"},
    {"decoder.layer_norm.bias", "decoder.ln.bias"},
};

// Within a block: Hugging Face's module, OpenAI's module.
constexpr Alias kBlockModules[] = {
    {"self_attn_layer_norm", "attn_ln"},
    {"self_attn.q_proj", "attn.query"},
    {"self_attn.k_proj", "attn.key"},
    {"self_attn.v_proj", "attn.value"},
    {"self_attn.out_proj", "attn.out"},
    {"encoder_attn_layer_norm", "cross_attn_ln"},
    {"encoder_attn.q_proj", "cross_attn.query"},
    {"encoder_attn.k_proj", "cross_attn.key"},
    {"encoder_attn.v_proj", "cross_attn.value"},
    {"encoder_attn.out_proj", "cross_attn.out"},
    {"final_layer_norm", "mlp_ln"},
    {"fc1", "mlp.0"},
    {"fc2", "mlp.2"},
};

std::string join(std::initializer_list<std::string_view> parts) {
  std::string joined;
  for (std::string_view part : parts) joined.append(part);
  return joined;
}

using Side = std::string_view Alias::*;

/// One family's names of blocks and modules, and another's.
struct Renaming {
  std::string_view from_blocks;
  std::string_view to_blocks;
  Side from;
  Side to;
};
constexpr Renaming kToCanonical = {"layers.", "blocks.", &Alias::first, &Alias::second};
constexpr Renaming kToHub = {"blocks.", "layers.", &Alias::second, &Alias::first};

/// "encoder.layers.3.fc1.weight" -> "encoder.blocks.3.mlp.0.weight", or back
std::optional<std::string> block_name(std::string_view name, const Renaming& renaming) {
  for (std::string_view stack : {"encoder.", "decoder."}) {
    std::string prefix = join({stack, renaming.from_blocks});
    if (!name.starts_with(prefix)) continue;
    std::string_view rest = name.substr(prefix.size());
    size_t number_end = rest.find('.');
    size_t suffix_begin = rest.rfind('.');
    if (number_end == std::string_view::npos || suffix_begin <= number_end) return std::nullopt;
    std::string_view module = rest.substr(number_end + 1, suffix_begin - number_end - 1);
    for (const Alias& alias : kBlockModules) {
      if (alias.*renaming.from == module) {
        return join({stack, renaming.to_blocks, rest.substr(0, number_end + 1), alias.*renaming.to,
                     rest.substr(suffix_begin)});
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> complete_cut_tensor_name(std::string_view name) {
  // Only a block's names are so long: everything up to the layer's number, then the module.
  const size_t layers = name.find(".layers.");
  const size_t dot = layers == name.npos ? name.npos : name.find('.', layers + 8);
  if (dot == name.npos) return std::nullopt;
  const std::string_view rest = name.substr(dot + 1);
  std::optional<std::string> whole;
  for (const Alias& alias : kBlockModules) {
    for (std::string_view suffix : {".weight", ".bias"}) {
      std::string candidate = join({alias.first, suffix});
      if (rest.size() >= candidate.size() || !candidate.starts_with(rest)) continue;
      if (whole) return std::nullopt;
      whole = join({name.substr(0, dot + 1), candidate});
    }
  }
  return whole;
}

std::string canonical_tensor_name(std::string_view name) {
  std::string_view bare = name;
  if (bare.starts_with("model.")) bare.remove_prefix(6);
  for (const Alias& alias : kTopLevel) {
    if (alias.first == bare) return std::string(alias.second);
  }
  if (auto renamed = block_name(bare, kToCanonical)) return *std::move(renamed);
  // "model." goes only where a known family of names follows.
  if (bare.starts_with("encoder.") || bare.starts_with("decoder.")) return std::string(bare);
  return std::string(name);
}

std::string hub_tensor_name(std::string_view canonical_name) {
  // The first alias of a name is the hub's.
  for (const Alias& alias : kTopLevel) {
    if (alias.second == canonical_name) return join({"model.", alias.first});
  }
  return "model." + block_name(canonical_name, kToHub).value_or(std::string(canonical_name));
}

}  // namespace susurrus
