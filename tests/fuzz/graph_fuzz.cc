// Graphs from bytes: ONNX, TenniS and BW2L's layers are read, planned and run once, all of it bounded.
#include "container/bw2l/bw2l_reader.h"
#include "container/detect.h"
#include "fuzz_input.h"
#include "graph/bw2l/bw2l_network.h"
#include "graph/graph_run.h"
#include "graph/onnx/onnx_graph.h"
#include "graph/tennis/tennis_module.h"

namespace susurrus::fuzz {
namespace {

/// What a run may take here; hostile files plan for far more, and planning it must be quick.
constexpr uint64_t kMostRunBytes = 4 << 20;
constexpr uint64_t kMostCost = 10'000'000;

/// Small dimensions that the choices decide.
class Dims {
 public:
  explicit Dims(uint32_t seed) : state_(seed) {}
  uint64_t next() {
    state_ = state_ * 1664525u + 1013904223u;
    return 1 + (state_ >> 28) % 4;
  }

 private:
  uint32_t state_;
};

uint64_t byte_count_of(ElementType type, const Shape& shape) {
  return *shape.element_count() * element_byte_count(type);
}

void run(const Graph& graph, const std::vector<Shape>& shapes) {
  auto plan = make_plan(graph, shapes);
  if (!plan) return;
  uint64_t bytes = plan->buffer_byte_count + plan->scratch_byte_count + plan->state_byte_count;
  for (size_t i = 0; i < shapes.size(); ++i) {
    bytes += byte_count_of(graph.values[graph.inputs[i]].type, shapes[i]);
  }
  if (bytes > kMostRunBytes || plan->cost > kMostCost) return;
  auto ready = GraphRun::make(graph, std::move(*plan));
  if (!ready) return;
  std::vector<std::vector<uint8_t>> inputs;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const ElementType type = graph.values[graph.inputs[i]].type;
    auto& bytes_of_input = inputs.emplace_back(byte_count_of(type, shapes[i]) + kOverreadBytes);
    // Truth values and small numbers, whatever the type.
    for (size_t at = 0; at < bytes_of_input.size(); at += element_byte_count(type)) {
      bytes_of_input[at] = static_cast<uint8_t>(at / element_byte_count(type) % 2);
    }
    ready->set_input(i, bytes_of_input.data());
  }
  ready->begin();
  for (;;) {
    const auto is_done = ready->step(100'000);
    if (!is_done || *is_done) break;
  }
}

/// Open dimensions become small ones; inputs without a shape, small matrices.
void run_with_drawn_shapes(const Graph& graph, uint32_t seed) {
  Dims dims(seed);
  std::vector<Shape> shapes;
  for (const ValueId id : graph.inputs) {
    const GraphValue& input = graph.values[id];
    Shape shape;
    if (!input.shape) shape = {dims.next(), dims.next()};
    for (uint32_t i = 0; input.shape && i < input.shape->rank(); ++i) {
      const uint64_t dim = (*input.shape)[i];
      shape.append(dim == kAnyDim ? dims.next() : dim);
    }
    if (!check_size(input.type, shape)) return;
    shapes.push_back(shape);
  }
  run(graph, shapes);
}

void try_onnx(ByteSpan file, uint32_t seed) {
  if (const auto graph = graph_from_onnx("network", file, 0)) run_with_drawn_shapes(*graph, seed);
}

void try_tennis(ByteSpan file, uint32_t seed) {
  const auto module = TennisModule::read(file);
  if (!module || module->inputs().size() > 16) return;
  Dims dims(seed);
  std::vector<TennisFed> fed(module->inputs().size());
  std::vector<Shape> shapes;
  for (TennisFed& one : fed) {
    one.type = seed % 5 == 0 ? ElementType::u8 : ElementType::f32;
    const uint64_t rank = seed % 3 == 0 ? dims.next() : 4;
    for (uint64_t i = 0; i < rank; ++i) one.shape.append(dims.next());
    shapes.push_back(one.shape);
  }
  if (const auto graph = module->graph(fed)) run(*graph, shapes);
}

void try_bw2l(ByteSpan file, uint32_t seed) {
  Bw2lReader reader;
  reader.set_file_byte_count(file.size());
  if (!reader.push(file) || !reader.finish()) return;
  Dims dims(seed);
  const Bw2lInput input{4 * dims.next(), dims.next(), reader.tokens().size()};
  const auto network = compile_bw2l_network(reader.model(), file, input);
  if (!network) return;
  run(network->graph, {{1, input.channel_count, input.feature_count, 8 * dims.next()}});
}

}  // namespace
}  // namespace susurrus::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace susurrus;
  const fuzz::FuzzInput input(data, size);
  // Memory of its own, so that a read past it is seen.
  const std::vector<uint8_t> file(input.file().begin(), input.file().end());
  const auto kind =
      recognise(ByteSpan(file).first(std::min(file.size(), kDetectionBytes)), file.size());
  if (!kind) return 0;
  if (*kind == FileKind::onnx) fuzz::try_onnx(file, input.seed());
  if (*kind == FileKind::tennis) fuzz::try_tennis(file, input.seed());
  if (*kind == FileKind::bw2l) fuzz::try_bw2l(file, input.seed());
  return 0;
}
