// RES n k [blocks] with n layers and k skips in the lines after it.
#include "graph/bw2l/residual_layers.h"

#include <algorithm>

#include "container/bw2l/bw2l_architecture.h"
#include "graph/bw2l/bw2l_layers.h"

namespace susurrus {
namespace {

using Lines = std::span<const std::string_view>;

constexpr int64_t kMostBlocks = 1 << 12;

struct Part {
  Lines lines;
  std::span<Bw2lWeights> weights;
};

/// From the output of layer `from`, through layers of its own, to the input of layer `to`.
struct Skip {
  size_t from = 0;
  size_t to = 0;
  double scale = 1;
  std::vector<Part> through;
};

struct Block {
  std::vector<Part> layers;
  std::vector<Skip> skips;
};

std::string_view code_of(std::string_view line) {
  return line.substr(0, line.find_first_of(" \t"));
}

/// Takes parts of a block off its lines and arrays, in their order.
class BlockReader {
 public:
  BlockReader(const Bw2lLine& block, Bw2lBuild& build, Lines lines, std::span<Bw2lWeights> weights)
      : block_(block), build_(build), lines_(lines), weights_(weights) {}

  Lines lines() const { return lines_; }
  std::span<Bw2lWeights> weights() const { return weights_; }
  void begin_again(Lines lines) { lines_ = lines; }

  Result<Lines> next_lines() {
    const size_t taken = lines_.empty() ? 0 : bw2l_layer_line_count(lines_);
    if (taken == 0) return block_.wrong("all lines that it announces");
    const Lines part = lines_.first(taken);
    lines_ = lines_.subspan(taken);
    return part;
  }

  Result<Part> next_layer(Lines lines) {
    SUSURRUS_ASSIGN_OR_RETURN(const size_t count, array_count(lines));
    if (count > weights_.size()) return block_.wrong("arrays for all its layers");
    const Part part{lines, weights_.first(count)};
    weights_ = weights_.subspan(count);
    return part;
  }

 private:
  /// Layers that may have one array or two go by their words: what a block has is not divided by anything else.
  Result<size_t> array_count(Lines lines) {
    std::string text;
    for (const std::string_view line : lines) text.append(line).append("\n");
    SUSURRUS_ASSIGN_OR_RETURN(const Bw2lArrayCounts counts, check_bw2l_layer(text));
    if (code_of(lines[0]) != "RES") {
      Bw2lLine line(build_, block_.layer(), lines[0], block_.offset(), {});
      return own_count(line, counts);
    }
    Bw2lLine inner(build_, block_.layer(), lines[0], block_.offset(), {});
    SUSURRUS_ASSIGN_OR_RETURN(const int64_t blocks, inner.integer(3, 1, 1));
    size_t sum = 0;
    for (size_t i = 1; i < lines.size();) {
      const std::string_view code = code_of(lines[i]);
      const bool is_skip = code == "SKIP" || code == "SKIPL";
      const size_t taken = is_skip ? 1 : bw2l_layer_line_count(lines.subspan(i));
      if (taken == 0) return block_.wrong("all lines that it announces");
      if (!is_skip) {
        SUSURRUS_ASSIGN_OR_RETURN(const size_t own, array_count(lines.subspan(i, taken)));
        sum += own;
      }
      i += taken;
    }
    return sum * static_cast<size_t>(std::min(blocks, kMostBlocks));
  }

  static Result<size_t> own_count(const Bw2lLine& line, const Bw2lArrayCounts& counts) {
    const auto count_linear = [](const Bw2lLine& linear) -> Result<size_t> {
      SUSURRUS_ASSIGN_OR_RETURN(const int64_t has_bias, linear.integer(3, 0, 1));
      return has_bias != 0 ? size_t{2} : size_t{1};
    };
    if (line.code() == "L") return count_linear(line);
    if (line.code() == "WN") {
      const Bw2lLine child(line, 2, {});
      if (child.code() != "L") return size_t{3};
      SUSURRUS_ASSIGN_OR_RETURN(const size_t own, count_linear(child));
      return own + 1;
    }
    // Only a batch norm with all its arrays can run.
    return static_cast<size_t>(counts.most);
  }

  const Bw2lLine& block_;
  Bw2lBuild& build_;
  Lines lines_;
  std::span<Bw2lWeights> weights_;
};

Result<Skip> read_skip(const Bw2lLine& block, Bw2lBuild& build, BlockReader& reader, Lines lines,
                       size_t layer_count) {
  const Bw2lLine line(build, block.layer(), lines[0], block.offset(), {});
  const bool has_layers = line.code() == "SKIPL";
  Skip skip;
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t from, line.integer(1, 0));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t to, line.integer(2, 0));
  SUSURRUS_ASSIGN_OR_RETURN(skip.scale, line.number(has_layers ? 4 : 3, 1));
  if (to - from < 2 || to > static_cast<int64_t>(layer_count) + 1) {
    return line.wrong("a skip over a layer or more, within the block");
  }
  skip.from = static_cast<size_t>(from);
  skip.to = static_cast<size_t>(to);
  const Lines rest = reader.lines();
  reader.begin_again(lines.subspan(1));
  while (!reader.lines().empty()) {
    SUSURRUS_ASSIGN_OR_RETURN(const Lines own, reader.next_lines());
    SUSURRUS_ASSIGN_OR_RETURN(Part part, reader.next_layer(own));
    skip.through.push_back(part);
  }
  reader.begin_again(rest);
  return skip;
}

Result<Bw2lActivation> run_block(Bw2lLine& line, Bw2lPlace place, const Block& block,
                                 Bw2lActivation x) {
  Bw2lBuild& build = line.build();
  std::vector<Bw2lActivation> outputs = {x};
  for (size_t to = 1; to <= block.layers.size() + 1; ++to) {
    Bw2lActivation input = outputs.back();
    double scale = 1;
    for (const Skip& skip : block.skips) {
      if (skip.to != to) continue;
      Bw2lActivation added = outputs[skip.from];
      for (const Part& part : skip.through) {
        SUSURRUS_ASSIGN_OR_RETURN(
            added, compile_bw2l_lines(build, place, part.lines, part.weights, added));
      }
      SUSURRUS_ASSIGN_OR_RETURN(input, line.sum(input, added));
      if (skip.scale != 1) scale = skip.scale;
    }
    if (scale != 1) {
      SUSURRUS_ASSIGN_OR_RETURN(const ValueId factor, line.constant(static_cast<float>(scale)));
      SUSURRUS_ASSIGN_OR_RETURN(input.id, line.add("multiply", {input.id, factor}));
    }
    if (to > block.layers.size()) return input;
    const Part& part = block.layers[to - 1];
    SUSURRUS_ASSIGN_OR_RETURN(input,
                              compile_bw2l_lines(build, place, part.lines, part.weights, input));
    outputs.push_back(input);
  }
  return outputs.back();
}

Result<Bw2lActivation> compile_residual(Bw2lLine& line, Bw2lPlace place, Lines lines,
                                        std::span<Bw2lWeights> weights, Bw2lActivation x) {
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t layer_count, line.integer(1, 1));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t skip_count, line.integer(2, 0));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t block_count, line.integer(3, 1, 1));
  if (std::max({layer_count, skip_count, block_count}) > kMostBlocks) {
    return line.wrong("at most 4096 layers, skips and blocks");
  }
  BlockReader reader(line, line.build(), lines, weights);
  for (int64_t i = 0; i < block_count; ++i) {
    Block block;
    reader.begin_again(lines);
    for (int64_t part = 0; part < layer_count + skip_count; ++part) {
      SUSURRUS_ASSIGN_OR_RETURN(const Lines own, reader.next_lines());
      const std::string_view code = code_of(own[0]);
      if (code == "SKIP" || code == "SKIPL") {
        SUSURRUS_ASSIGN_OR_RETURN(Skip skip, read_skip(line, line.build(), reader, own,
                                                       static_cast<size_t>(layer_count)));
        block.skips.push_back(std::move(skip));
      } else {
        SUSURRUS_ASSIGN_OR_RETURN(Part layer, reader.next_layer(own));
        block.layers.push_back(layer);
      }
    }
    if (block.layers.size() != static_cast<size_t>(layer_count)) {
      return line.wrong_size("layers:", static_cast<uint64_t>(layer_count), block.layers.size());
    }
    SUSURRUS_ASSIGN_OR_RETURN(x, run_block(line, place, block, x));
  }
  if (!reader.weights().empty()) {
    return line.wrong_size("arrays:", weights.size() - reader.weights().size(), weights.size());
  }
  return x;
}

}  // namespace

Result<Bw2lActivation> compile_bw2l_lines(Bw2lBuild& build, Bw2lPlace place, Lines lines,
                                          std::span<Bw2lWeights> weights, Bw2lActivation x) {
  Bw2lLine line(build, place.layer, lines[0], place.offset, weights);
  SUSURRUS_RETURN_IF_ERROR(line.count_part());
  if (line.code() == "RES") return compile_residual(line, place, lines.subspan(1), weights, x);
  const Bw2lCompile compile = find_bw2l_layer(line.code());
  if (compile == nullptr) return line.unsupported("a layer that BW2L defines");
  return compile(line, x);
}

}  // namespace susurrus
