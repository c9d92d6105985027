#pragma once
#include <initializer_list>
#include <optional>

#include "graph/tennis/tennis_module.h"

namespace susurrus {

/// Makes a graph of a module whose inputs have known shapes: what the translations of single operators share. All types and
/// shapes are known while the graph is made.
class TennisTranslation {
 public:
  explicit TennisTranslation(const TennisModule& module)
      : module_(module),
        builder_(PieceBudget(module.byte_count())),
        results_(module.nodes().size()) {}
  Result<Graph> translate(std::span<const TennisFed> fed,
                          std::vector<std::vector<Inference::Output>>* results);
  std::optional<Shape> declared_shape(uint32_t index);

  // Parameters of the current node. Every number may be of any type; floats are cut where integers are wanted (tennis.md §1).
  bool has(std::string_view name) const { return node_->parameter(name) != nullptr; }
  Result<std::vector<double>> numbers(std::string_view name) const;
  Result<std::vector<int64_t>> integers(std::string_view name) const;
  Result<double> number(std::string_view name) const;
  Result<double> number(std::string_view name, double usual) const;
  Result<int64_t> integer(std::string_view name) const;
  Result<int64_t> integer(std::string_view name, int64_t usual) const;
  Result<std::string> text(std::string_view name) const;
  /// The first tensor of a parameter, as a constant.
  Result<ValueId> constant(std::string_view name);

  // Arguments of the current node.
  size_t argument_count() const { return node_->arguments.size(); }
  /// A tensor; an error where it is packed.
  Result<ValueId> argument(size_t index) const;
  std::span<const ValueId> fields(size_t index) const;
  /// An argument that has to be known: a constant, or what follows from shapes.
  Result<std::vector<int64_t>> known_integers(size_t index);
  Result<std::vector<double>> known_numbers(size_t index);

  Shape shape(ValueId id) { return builder_.value(id).shape.value_or(Shape()); }
  ElementType type(ValueId id) { return builder_.value(id).type; }

  /// Adds a primitive and returns its first output.
  Result<ValueId> add(std::string_view op, std::initializer_list<ValueId> inputs,
                      std::initializer_list<Attribute> attributes = {}, size_t output_count = 1);
  Result<ValueId> add(std::string_view op, std::span<const ValueId> inputs,
                      std::span<const Attribute> attributes, size_t output_count);
  Result<ValueId> integer_constant(std::span<const int64_t> values);
  /// INT32, as TenniS has shapes.
  Result<ValueId> short_constant(const Shape& shape, std::span<const int64_t> values);
  /// One number of a type.
  Result<ValueId> scalar(ElementType type, double value);
  Result<ValueId> cast(ValueId x, ElementType type);
  Result<ValueId> reshape(ValueId x, std::span<const uint64_t> dims);
  /// [C] as it is broadcast along `axis` of x; shape_mismatch unless it has as many elements as the axis.
  Result<ValueId> along(ValueId values, ValueId x, uint32_t axis);
  /// An axis of x that a parameter names, from the end where it is negative.
  Result<uint32_t> axis(std::string_view name, ValueId x) const;
  Result<uint32_t> axis(std::string_view name, ValueId x, int64_t usual) const;

  /// The node's result.
  Status set(Result<ValueId> value);
  Status set_packed(std::vector<ValueId> fields);

  /// malformed, about a parameter or what else is wrong.
  Error wrong(std::string_view what, std::string_view expected) const;
  Error unsupported(std::string_view what, std::string_view expected) const;

 private:
  struct Fields {
    std::vector<ValueId> values;
    bool is_packed = false;
  };

  void at(uint32_t index);
  Status add_inputs(std::span<const TennisFed> fed);
  Status add_input(uint32_t index, const TennisFed& fed);
  Status add_node(uint32_t index);
  Result<ValueId> add_field(const TennisField& field);
  /// Why the shapes of a node's outputs are not known.
  Error reason(std::string_view op, std::span<const ValueId> inputs,
               std::span<const Attribute> attributes, size_t output_count);

  const TennisModule& module_;
  GraphBuilder builder_;
  const TennisNode* node_ = nullptr;
  std::vector<Fields> results_;  // of each node
  Fields* result_ = nullptr;
};

struct TennisOperator {
  std::string_view name;
  uint8_t least_arguments = 1;
  uint8_t most_arguments = 1;
  Status (*translate)(TennisTranslation& to) = nullptr;
};

/// Null for an operator that is not run.
const TennisOperator* find_tennis_operator(std::string_view name);
/// nullopt for types that are not calculated with.
std::optional<ElementType> tennis_element_type(TennisDtype dtype);

/// All that run, one list for each file, in any order.
std::span<const std::span<const TennisOperator>> tennis_operator_lists();
std::span<const TennisOperator> tennis_shaping_operators();
std::span<const TennisOperator> tennis_indexing_operators();
std::span<const TennisOperator> tennis_elementwise_operators();
std::span<const TennisOperator> tennis_layer_operators();
std::span<const TennisOperator> tennis_window_operators();
std::span<const TennisOperator> tennis_image_operators();

}  // namespace susurrus
