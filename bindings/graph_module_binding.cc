// Networks that are run by name.
#include <emscripten/bind.h>

#include <optional>

#include "base/json_writer.h"
#include "engine_values.h"
#include "network_loader_binding.h"
#include "request.h"
#include "slice.h"

namespace susurrus {
namespace {

constexpr uint64_t kStepCost = 2'000'000;

void write(const Shape& shape, JsonWriter& json) {
  json.begin_array();
  for (const uint64_t dim : shape.dims()) {
    if (dim == kAnyDim) {
      json.json("null");
    } else {
      json.value(dim);
    }
  }
  json.end_array();
}

void write(const GraphModule::Description& made, JsonWriter& json) {
  json.begin_object().key("nodes").begin_array();
  for (const GraphModule::Node& node : made.nodes) {
    json.begin_object().field("op", node.op).field("name", node.name);
    json.field("inputs", std::span<const uint32_t>(node.inputs)).key("outputs").begin_array();
    for (const auto& [type, shape] : node.outputs) {
      json.begin_object().field("type", element_type_name(type));
      write(shape, json.key("shape"));
      json.end_object();
    }
    json.end_array().field("cost", node.cost).end_object();
  }
  json.end_array();
  json.field("inputs", std::span<const uint32_t>(made.inputs))
      .field("outputs", std::span<const uint32_t>(made.outputs));
  json.field("cost", made.cost).field("runBytes", made.run_byte_count);
  json.field("constantBytes", made.constant_byte_count).end_object();
}

std::optional<ElementType> find_type(std::string_view name) {
  for (uint8_t i = 0; i <= static_cast<uint8_t>(ElementType::boolean); ++i) {
    const auto type = static_cast<ElementType>(i);
    if (element_type_name(type) == name) return type;
  }
  return std::nullopt;
}

Error wrong_input(std::string_view expected) {
  return make_error(ErrorCode::invalid_argument, ErrorReason::option)
      .with_subject("inputs")
      .with_expected(expected);
}

/// [{name, type, shape}]; names are good as long as the document.
Result<std::vector<TennisFed>> parse_fed(JsonValue inputs) {
  std::vector<TennisFed> fed;
  for (JsonValue input : inputs.items()) {
    TennisFed& one = fed.emplace_back();
    one.name = input["name"].text().value_or("");
    const auto type = find_type(input["type"].text().value_or(""));
    if (!type) return wrong_input("a type that tensors have");
    one.type = *type;
    if (input["shape"].size() > limits::kMaxDims) return wrong_input("a shape of fewer dimensions");
    for (JsonValue dim : input["shape"].items()) {
      const auto size = dim.unsigned_integer();
      if (!size) return wrong_input("dimensions that are integers");
      one.shape.append(*size);
    }
  }
  return fed;
}

class GraphModuleBinding {
 public:
  /// `loader` must have finished.
  ErrorText create(NetworkLoaderBinding& loader) {
    auto module = loader.file().take_module();
    if (!module) return failure(module);
    format_ = loader.file().format();
    module_.emplace(std::move(module).value());
    return {};
  }
  /// {format, inputs, outputs, warnings, weightBytes} as JSON.
  std::string facts() const {
    JsonWriter json;
    json.begin_object().field("format", std::string_view(format_));
    json.key("inputs").begin_array();
    for (const GraphModule::Input& input : module_->inputs()) {
      json.begin_object().field("name", std::string_view(input.name));
      if (input.type) json.field("type", element_type_name(*input.type));
      if (input.shape) write(*input.shape, json.key("shape"));
      json.end_object();
    }
    json.end_array();
    json.field("outputs", module_->outputs()).field("warnings", module_->warnings());
    json.field("weightBytes", module_->weight_byte_count());
    return std::move(json.end_object()).text();
  }

  /// `inputs`: [{name, type, shape}] as JSON. Then description().
  ErrorText describe(const std::string& inputs) {
    return with_fed(inputs, [&](std::span<const TennisFed> fed) -> ErrorText {
      auto made = module_->describe(fed);
      if (!made) return failure(made);
      JsonWriter json;
      write(*made, json);
      description_ = std::move(json).text();
      return {};
    });
  }
  /// After describe(): {nodes: [{op, name, inputs, outputs, cost}], inputs, outputs, cost, runBytes, constantBytes} as JSON.
  std::string description() const { return description_; }

  /// `inputs`: [{name, type, shape}] as JSON. Then inputWindow() for each, then step() until it is done.
  ErrorText prepare(const std::string& inputs) {
    return with_fed(inputs, [&](std::span<const TennisFed> fed) {
      Status status = module_->prepare(fed);
      if (status) module_->begin();
      return failure(status);
    });
  }
  ByteView input_window(uint32_t index) {
    return view(std::span<const uint8_t>(module_->input(index)));
  }
  Step step(double milliseconds) {
    return run_slice(milliseconds, Step::working, [this] {
      auto is_done = module_->step(kStepCost);
      if (is_done) return *is_done ? Step::done : Step::working;
      error_ = to_text(is_done.error());
      return Step::failed;
    });
  }
  /// After Step.failed.
  ErrorText error() const { return error_; }
  /// After Step.done: [{name, type, shape}] as JSON; a packed output is several.
  std::string outputs() const {
    JsonWriter json;
    json.begin_array();
    const auto names = module_->outputs();
    for (size_t i = 0; i < module_->output_count(); ++i) {
      const Tensor tensor = module_->output(i);
      const bool has_name = names.size() == module_->output_count();
      json.begin_object()
          .field("name", has_name ? std::string_view(names[i]) : std::string_view())
          .field("type", element_type_name(tensor.type));
      write(tensor.shape, json.key("shape"));
      json.end_object();
    }
    return std::move(json.end_array()).text();
  }
  ByteView output(uint32_t index) const {
    const Tensor tensor = module_->output(index);
    return view(std::span(static_cast<const uint8_t*>(tensor.data), tensor.byte_count()));
  }
  double run_byte_count() const { return static_cast<double>(module_->run_byte_count()); }

 private:
  template <typename Use>
  static ErrorText with_fed(const std::string& inputs, const Use& use) {
    auto request = parse_request(inputs);
    if (!request) return failure(request);
    auto fed = parse_fed(request->root());
    if (!fed) return failure(fed);
    return use(*fed);
  }

  std::string format_;
  std::string description_;
  std::optional<GraphModule> module_;
  ErrorText error_;
};

}  // namespace

EMSCRIPTEN_BINDINGS(graph_module) {
  emscripten::class_<GraphModuleBinding>("GraphModule")
      .constructor<>()
      .function("create(loader)", &GraphModuleBinding::create)
      .function("facts", &GraphModuleBinding::facts)
      .function("describe(inputs)", &GraphModuleBinding::describe)
      .function("description", &GraphModuleBinding::description)
      .function("prepare(inputs)", &GraphModuleBinding::prepare)
      .function("inputWindow(index)", &GraphModuleBinding::input_window)
      .function("step(milliseconds)", &GraphModuleBinding::step)
      .function("error", &GraphModuleBinding::error)
      .function("outputs", &GraphModuleBinding::outputs)
      .function("output(index)", &GraphModuleBinding::output)
      .function("runByteCount", &GraphModuleBinding::run_byte_count);
}

}  // namespace susurrus
