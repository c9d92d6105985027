#include "graph/tennis/tennis_translation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "container/tennis/tennis_names.h"
#include "container/tennis/tennis_values.h"
#include "graph/ops/wide_elements.h"

namespace susurrus {
namespace {

constexpr TennisDtype kDtypes[] = {TennisDtype::f32, TennisDtype::f64, TennisDtype::f16,
                                   TennisDtype::i8,  TennisDtype::u8,  TennisDtype::i16,
                                   TennisDtype::u16, TennisDtype::i32, TennisDtype::u32,
                                   TennisDtype::i64, TennisDtype::u64, TennisDtype::boolean};

/// Beyond what any attribute means; casts of larger ones would not be defined.
constexpr double kMostNumber = 9e15;

int64_t cut(double number) {
  return number == number ? static_cast<int64_t>(std::clamp(number, -kMostNumber, kMostNumber)) : 0;
}

}  // namespace

std::optional<ElementType> tennis_element_type(TennisDtype dtype) {
  const auto found = std::ranges::find(kDtypes, dtype);
  if (found == std::end(kDtypes)) return std::nullopt;
  return static_cast<ElementType>(found - kDtypes);
}

std::span<const std::span<const TennisOperator>> tennis_operator_lists() {
  static const std::array lists = {tennis_shaping_operators(),     tennis_indexing_operators(),
                                   tennis_elementwise_operators(), tennis_layer_operators(),
                                   tennis_window_operators(),      tennis_image_operators()};
  return lists;
}

const TennisOperator* find_tennis_operator(std::string_view name) {
  for (const auto list : tennis_operator_lists()) {
    const auto found = std::ranges::find(list, name, &TennisOperator::name);
    if (found != list.end()) return &*found;
  }
  return nullptr;
}

void TennisTranslation::at(uint32_t index) {
  node_ = &module_.nodes()[index];
  result_ = &results_[index];
  builder_.at(tennis_subject(index, node_->name, "") + " (" + shown_text(node_->op) + ")",
              node_->file_offset, index);
}

Result<Graph> TennisTranslation::translate(std::span<const TennisFed> fed,
                                           std::vector<std::vector<Inference::Output>>* results) {
  for (const uint32_t index : module_.order()) {
    at(index);
    const std::string& op = node_->op;
    if (op == "<param>" || op == "<const>" || find_tennis_operator(op) != nullptr) continue;
    return builder_.placed(make_error(ErrorCode::unsupported_operator, ErrorReason::unsupported)
                               .with_expected("an operator that is run here")
                               .with_got(op));
  }
  SUSURRUS_RETURN_IF_ERROR(add_inputs(fed));
  for (const uint32_t index : module_.order()) {
    SUSURRUS_RETURN_IF_ERROR(add_node(index));
    SUSURRUS_RETURN_IF_ERROR(builder_.status());
  }
  std::vector<ValueId> outputs;
  for (const uint32_t index : module_.outputs()) {
    for (const ValueId id : results_[index].values) outputs.push_back(id);
  }
  // The results as they are before the weights of products are transposed.
  for (size_t i = 0; results != nullptr && i < results_.size(); ++i) {
    auto& given = results->emplace_back();
    for (const ValueId id : results_[i].values) given.push_back({type(id), shape(id)});
  }
  return builder_.finish(std::move(outputs), {.packs_filters = true});
}

Status TennisTranslation::add_inputs(std::span<const TennisFed> fed) {
  const auto name_of = [&](uint32_t index) -> std::string_view {
    return module_.nodes()[index].name;
  };
  for (const TennisFed& one : fed) {
    if (one.name.empty() ||
        std::ranges::find(module_.inputs(), one.name, name_of) != module_.inputs().end()) {
      continue;
    }
    return make_error(ErrorCode::invalid_argument, ErrorReason::option)
        .with_subject(one.name)
        .with_expected("the name of an input");
  }
  for (size_t i = 0; i < module_.inputs().size(); ++i) {
    const uint32_t index = module_.inputs()[i];
    at(index);
    const TennisFed* own = nullptr;
    for (size_t k = 0; k < fed.size(); ++k) {
      if (fed[k].name.empty() ? k == i : fed[k].name == node_->name) own = &fed[k];
    }
    if (own == nullptr) {
      return builder_.placed(make_error(ErrorCode::invalid_argument, ErrorReason::size_mismatch)
                                 .with_expected("a tensor for each input"));
    }
    SUSURRUS_RETURN_IF_ERROR(add_input(index, *own));
  }
  if (fed.size() > module_.inputs().size()) {
    return make_error(ErrorCode::invalid_argument, ErrorReason::size_mismatch)
        .with_subject("inputs")
        .with_expected(module_.inputs().size())
        .with_got(fed.size());
  }
  return ok_status();
}

std::optional<Shape> TennisTranslation::declared_shape(uint32_t index) {
  node_ = &module_.nodes()[index];
  if (!has("#shape")) return std::nullopt;
  const auto dims = integers("#shape");
  if (!dims || dims->size() > limits::kMaxDims) return std::nullopt;
  Shape shape;
  for (const int64_t dim : *dims) shape.append(dim <= 0 ? kAnyDim : static_cast<uint64_t>(dim));
  return shape;
}

/// Entries of #shape that are not positive are open.
Status TennisTranslation::add_input(uint32_t index, const TennisFed& fed) {
  if (!result_->values.empty()) return ok_status();
  if (has("#shape")) {
    SUSURRUS_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, integers("#shape"));
    bool fits = dims.size() == fed.shape.rank();
    for (uint32_t i = 0; fits && i < dims.size(); ++i) {
      fits = dims[i] <= 0 || static_cast<uint64_t>(dims[i]) == fed.shape[i];
    }
    if (!fits) {
      std::string wanted;
      for (int64_t dim : dims) {
        wanted += (wanted.empty() ? "" : "×") + (dim <= 0 ? "any" : std::to_string(dim));
      }
      return builder_.placed(make_error(ErrorCode::shape_mismatch, ErrorReason::bad_shape)
                                 .with_expected(wanted)
                                 .with_got(shape_text(fed.shape).view()));
    }
  }
  SUSURRUS_RETURN_IF_ERROR(check_size(fed.type, fed.shape));
  const ValueId id = builder_.add_input(module_.nodes()[index].name, fed.type, fed.shape);
  if (!has("#dtype")) return set(id);
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t number, integer("#dtype"));
  const auto dtype = number < 0 || number > 32
                         ? std::nullopt
                         : tennis_dtype_from_number(static_cast<int8_t>(number));
  const auto type = dtype ? tennis_element_type(*dtype) : std::nullopt;
  if (!type) return wrong("#dtype", "a type that is calculated with here");
  return set(cast(id, *type));
}

Result<ValueId> TennisTranslation::add_field(const TennisField& field) {
  const auto type = tennis_element_type(field.dtype);
  if (!type) return wrong("value", "numbers or truth values");
  SUSURRUS_RETURN_IF_ERROR(check_size(*type, field.shape));
  SUSURRUS_ASSIGN_OR_RETURN(OwnedTensor tensor,
                            OwnedTensor::allocate(*type, field.shape, "weights"));
  if (field.bytes.byte_count() > 0) {
    std::memcpy(tensor.buffer.data(), field.bytes.data(), field.bytes.byte_count());
  }
  return builder_.add_constant({}, std::move(tensor));
}

Status TennisTranslation::add_node(uint32_t index) {
  at(index);
  if (node_->op == "<param>") return ok_status();
  if (node_->op == "<const>") {
    const TennisParameter* value = node_->parameter("value");
    for (const TennisField& field : value->fields) {
      SUSURRUS_ASSIGN_OR_RETURN(const ValueId id, add_field(field));
      result_->values.push_back(id);
    }
    result_->is_packed = value->fields.size() > 1;
    return ok_status();
  }
  const TennisOperator& op = *find_tennis_operator(node_->op);
  if (argument_count() < op.least_arguments ||
      (op.most_arguments != kAnyNumber && argument_count() > op.most_arguments)) {
    return builder_.placed(make_error(ErrorCode::malformed, ErrorReason::size_mismatch)
                               .with_subject("arguments")
                               .with_expected(argument_count() < op.least_arguments
                                                  ? op.least_arguments
                                                  : op.most_arguments)
                               .with_got(argument_count()));
  }
  return op.translate(*this);
}

Result<std::vector<double>> TennisTranslation::numbers(std::string_view name) const {
  const TennisParameter* found = node_->parameter(name);
  if (found == nullptr) return wrong(name, "a value");
  if (found->fields.size() != 1) return wrong(name, "one tensor");
  const TennisField& field = found->fields[0];
  const ByteSpan bytes{field.bytes.data(), field.bytes.byte_count()};
  if (field.dtype == TennisDtype::char8) {
    const auto number = tennis_number(field.dtype, bytes);
    if (!number) return wrong(name, "numbers");
    return std::vector<double>{*number};
  }
  if (!is_tennis_numeric(field.dtype) || field.shape.element_count() > uint64_t{1} << 20) {
    return wrong(name, "numbers");
  }
  const size_t size = tennis_dtype_byte_count(field.dtype);
  std::vector<double> values;
  for (size_t at = 0; at < bytes.size(); at += size) {
    values.push_back(tennis_number(field.dtype, bytes.subspan(at, size)).value_or(0));
  }
  return values;
}

Result<std::vector<int64_t>> TennisTranslation::integers(std::string_view name) const {
  SUSURRUS_ASSIGN_OR_RETURN(const std::vector<double> values, numbers(name));
  std::vector<int64_t> integers;
  for (double value : values) integers.push_back(cut(value));
  return integers;
}

Result<double> TennisTranslation::number(std::string_view name) const {
  SUSURRUS_ASSIGN_OR_RETURN(const std::vector<double> values, numbers(name));
  if (values.size() != 1) return wrong(name, "one number");
  return values[0];
}

Result<double> TennisTranslation::number(std::string_view name, double usual) const {
  return has(name) ? number(name) : Result<double>(usual);
}

Result<int64_t> TennisTranslation::integer(std::string_view name) const {
  SUSURRUS_ASSIGN_OR_RETURN(const double value, number(name));
  return cut(value);
}

Result<int64_t> TennisTranslation::integer(std::string_view name, int64_t usual) const {
  return has(name) ? integer(name) : Result<int64_t>(usual);
}

Result<std::string> TennisTranslation::text(std::string_view name) const {
  const TennisParameter* found = node_->parameter(name);
  if (found == nullptr) return wrong(name, "a value");
  if (found->fields.size() != 1 || found->fields[0].dtype != TennisDtype::char8) {
    return wrong(name, "a text");
  }
  const AlignedBuffer& bytes = found->fields[0].bytes;
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.byte_count());
}

Result<ValueId> TennisTranslation::constant(std::string_view name) {
  const TennisParameter* found = node_->parameter(name);
  if (found == nullptr || found->fields.empty()) return wrong(name, "a value");
  return add_field(found->fields[0]);
}

std::span<const ValueId> TennisTranslation::fields(size_t index) const {
  return results_[node_->arguments[index]].values;
}

Result<ValueId> TennisTranslation::argument(size_t index) const {
  const Fields& own = results_[node_->arguments[index]];
  if (own.is_packed || own.values.size() != 1) {
    return wrong("argument " + std::to_string(index), "a tensor rather than a packed value");
  }
  return own.values[0];
}

Result<std::vector<double>> TennisTranslation::known_numbers(size_t index) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId id, argument(index));
  const OwnedTensor* known = builder_.constant(id);
  if (known == nullptr) {
    return unsupported("argument " + std::to_string(index),
                       "numbers that follow from constants and shapes");
  }
  const Tensor view{known->type, known->shape, const_cast<uint8_t*>(known->buffer.data())};
  std::vector<double> values;
  if (view.count() > size_t{1} << 20)
    return wrong("argument " + std::to_string(index), "a short list");
  for (size_t i = 0; i < view.count(); ++i) {
    values.push_back(number_at(view.type, view.data, i));
  }
  return values;
}

Result<std::vector<int64_t>> TennisTranslation::known_integers(size_t index) {
  SUSURRUS_ASSIGN_OR_RETURN(const std::vector<double> numbers, known_numbers(index));
  std::vector<int64_t> integers;
  for (double value : numbers) integers.push_back(cut(value));
  return integers;
}

Result<ValueId> TennisTranslation::add(std::string_view op, std::initializer_list<ValueId> inputs,
                                       std::initializer_list<Attribute> attributes,
                                       size_t output_count) {
  return add(op, std::span(inputs.begin(), inputs.size()),
             std::span(attributes.begin(), attributes.size()), output_count);
}

Result<ValueId> TennisTranslation::add(std::string_view op, std::span<const ValueId> inputs,
                                       std::span<const Attribute> attributes, size_t output_count) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId id, builder_.add(op, inputs, attributes, output_count));
  if (!builder_.value(id).shape) return reason(op, inputs, attributes, output_count);
  return id;
}

Error TennisTranslation::reason(std::string_view op, std::span<const ValueId> inputs,
                                std::span<const Attribute> attributes, size_t output_count) {
  const Operator& found = *find_operator(op);
  std::vector<Operand> operands;
  for (const ValueId id : inputs) {
    Operand operand;
    operand.is_present = id != kNoValue;
    if (operand.is_present) {
      const OwnedTensor* known = builder_.constant(id);
      operand.type = type(id);
      operand.shape = shape(id);
      operand.constant = known == nullptr ? nullptr : known->buffer.data();
    }
    operands.push_back(operand);
  }
  const auto matched = Attributes::match(found.attributes, attributes);
  if (!matched) return builder_.placed(matched.error());
  std::vector<Inference::Output> outputs(output_count);
  Inference inference{operands, *matched, outputs, {}};
  const Status status = found.infer(inference);
  return builder_.placed(status ? make_error(ErrorCode::internal_error, ErrorReason::state)
                                : status.error());
}

Result<ValueId> TennisTranslation::integer_constant(std::span<const int64_t> values) {
  return builder_.add_integers({}, values);
}

Result<ValueId> TennisTranslation::short_constant(const Shape& shape,
                                                  std::span<const int64_t> values) {
  SUSURRUS_ASSIGN_OR_RETURN(OwnedTensor tensor,
                            OwnedTensor::allocate(ElementType::i32, shape, "constants"));
  for (size_t i = 0; i < values.size(); ++i) {
    tensor.view().as<int32_t>()[i] = static_cast<int32_t>(values[i]);
  }
  return builder_.add_constant({}, std::move(tensor));
}

Result<ValueId> TennisTranslation::scalar(ElementType type, double value) {
  SUSURRUS_ASSIGN_OR_RETURN(OwnedTensor tensor,
                            OwnedTensor::allocate(ElementType::f64, {}, "constants"));
  tensor.view().as<double>()[0] = value;
  return cast(builder_.add_constant({}, std::move(tensor)), type);
}

Result<ValueId> TennisTranslation::cast(ValueId x, ElementType wanted) {
  if (type(x) == wanted) return x;
  return add("cast", {x}, {{"to", static_cast<int64_t>(wanted)}});
}

Result<ValueId> TennisTranslation::reshape(ValueId x, std::span<const uint64_t> dims) {
  if (dims.size() > limits::kMaxDims) return wrong("shape", "at most 8 dimensions");
  std::vector<int64_t> wanted(dims.begin(), dims.end());
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId shape, integer_constant(wanted));
  return add("reshape", {x, shape}, {{"allow_zero", int64_t{1}}});
}

Result<ValueId> TennisTranslation::along(ValueId values, ValueId x, uint32_t axis) {
  const Shape whole = shape(x);
  if (shape(values).element_count() != whole[axis]) {
    return builder_.placed(
        make_error(ErrorCode::shape_mismatch, ErrorReason::bad_shape)
            .with_subject("argument 1")
            .with_expected("a value for each of " + std::to_string(whole[axis]) + " channels")
            .with_got(shape_text(shape(values)).view()));
  }
  std::vector<uint64_t> dims(whole.rank() - axis, 1);
  dims[0] = whole[axis];
  return reshape(values, dims);
}

Result<uint32_t> TennisTranslation::axis(std::string_view name, ValueId x) const {
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t value, integer(name));
  const auto found =
      axis_of(value, const_cast<GraphBuilder&>(builder_).value(x).shape->rank(), name);
  if (!found) return builder_.placed(found.error());
  return *found;
}

Result<uint32_t> TennisTranslation::axis(std::string_view name, ValueId x, int64_t usual) const {
  if (has(name)) return axis(name, x);
  const auto found =
      axis_of(usual, const_cast<GraphBuilder&>(builder_).value(x).shape->rank(), name);
  if (!found) return builder_.placed(found.error());
  return *found;
}

Status TennisTranslation::set(Result<ValueId> value) {
  if (!value) return value.error();
  *result_ = {{*value}, false};
  return ok_status();
}

Status TennisTranslation::set_packed(std::vector<ValueId> fields) {
  *result_ = {std::move(fields), true};
  return ok_status();
}

Error TennisTranslation::wrong(std::string_view what, std::string_view expected) const {
  return builder_.placed(make_error(ErrorCode::malformed, ErrorReason::bad_metadata)
                             .with_subject(what)
                             .with_expected(expected));
}

Error TennisTranslation::unsupported(std::string_view what, std::string_view expected) const {
  return builder_.placed(make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported)
                             .with_subject(what)
                             .with_expected(expected));
}

}  // namespace susurrus
