#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "container/bw2l/bw2l_model.h"
#include "graph/bw2l/bw2l_activation.h"

namespace susurrus {

/// A network that is being made.
struct Bw2lBuild {
  GraphBuilder builder;
  /// The whole file.
  ByteSpan file;
  uint64_t feature_count = 0;
  uint64_t label_count = 0;
  /// Those that the network runs on.
  const KernelTable* kernels = &default_kernels();
  std::vector<std::string> warnings;
  /// Lines and nodes so far. Blocks within blocks may repeat: few lines can stand for more than there is time for.
  size_t part_count = 0;
};

/// An array of a layer, in the file or made of one.
struct Bw2lWeights {
  const Bw2lLayer* layer = nullptr;
  const Bw2lArray* array = nullptr;
  OwnedTensor made = {};

  uint64_t count() const { return array ? array->count : *made.shape.element_count(); }
};

/// One line of the architecture: its words, its arrays, and what its layer puts into the graph. Every error names the layer and
/// the line.
class Bw2lLine {
 public:
  /// `layer` is its number in the section. `offset` is where errors are placed. `weights` may be used up.
  Bw2lLine(Bw2lBuild& build, size_t layer, std::string_view line, uint64_t offset,
           std::span<Bw2lWeights> weights);
  /// The line as a layer of its own from word `first` on, with these weights.
  Bw2lLine(const Bw2lLine& outer, size_t first, std::span<Bw2lWeights> weights);

  Bw2lBuild& build() const { return *build_; }
  std::string_view code() const { return words_[0]; }
  std::string_view line() const { return line_; }
  size_t layer() const { return layer_; }
  uint64_t offset() const { return offset_; }
  /// Excludes the code.
  size_t word_count() const { return words_.size() - 1; }
  bool has(size_t word) const { return word < words_.size(); }
  /// A whole number from `least` on; `usual` where the word, counted from 1, is left out.
  Result<int64_t> integer(size_t word, int64_t least, std::optional<int64_t> usual = {}) const;
  Result<double> number(size_t word, double usual) const;
  /// 0 to 3.
  Result<uint32_t> dim(size_t word) const;

  size_t array_count() const { return weights_.size(); }
  uint64_t count(size_t array) const { return weights_[array].count(); }
  const Bw2lWeights& stored(size_t array) const { return weights_[array]; }
  /// limit_exceeded when the network has more parts than any has.
  Status count_part();
  Status expect_arrays(size_t least, size_t most) const;
  /// An array with as many elements as `shape`, as real numbers. Taken once.
  Result<OwnedTensor> take(size_t array, const Shape& shape);
  /// take() as a constant of the graph.
  Result<ValueId> weight(size_t array, const Shape& shape);
  Result<ValueId> constant(const Shape& shape, std::span<const float> values);
  Result<ValueId> constant(float value) { return constant({1}, {&value, 1}); }

  /// Adds a node; returns its first output.
  Result<ValueId> add(std::string_view op, std::initializer_list<ValueId> inputs,
                      std::initializer_list<Attribute> attributes = {}, size_t output_count = 1);
  Result<ValueId> reshape(ValueId x, std::initializer_list<int64_t> dims);
  Result<ValueId> transpose(ValueId x, std::initializer_list<int64_t> perm);
  /// `x`, which has to have the shape of `like` when the network runs.
  Result<ValueId> same_shape(ValueId x, ValueId like);
  /// Adds two activations of one shape.
  Result<Bw2lActivation> sum(const Bw2lActivation& a, const Bw2lActivation& b);
  /// shape_mismatch unless the dimension is `size`, or is not known.
  Status expect_dim(const Bw2lActivation& x, uint32_t dim, uint64_t size) const;

  Error wrong(std::string_view expected) const;
  Error wrong_size(std::string_view what, uint64_t expected, uint64_t got) const;
  Error unsupported(std::string_view expected) const;
  /// The error for an array that lies outside the file.
  Error not_held() const { return wrong("arrays that the file holds"); }

 private:
  FixedString<120> place() const;

  Bw2lBuild* build_;
  size_t layer_;
  std::string line_;
  uint64_t offset_;
  std::vector<std::string> words_;
  std::span<Bw2lWeights> weights_;
};

}  // namespace susurrus
