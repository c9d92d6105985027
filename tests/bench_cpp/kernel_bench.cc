// kernel_bench [part of a line's name]: operations a second of every variant in this binary, on
// Whisper tiny's shapes. Variants alternate in short rounds, so a busy machine disturbs them alike;
// median and best round are printed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "base/aligned_buffer.h"
#include "kernels/kernel_table.h"
#include "kernels/scratch_layout.h"

namespace susurrus {
namespace {

constexpr int kRounds = 25;
constexpr double kSecondsPerMeasurement = 0.01;

const char* filter = "";

AlignedBuffer buffer(uint64_t bytes) {
  Result<AlignedBuffer> result = AlignedBuffer::allocate(bytes + kOverreadBytes, "benchmark");
  if (!result.has_value()) {
    std::printf("out of memory\n");
    std::exit(1);
  }
  return std::move(result.value());
}

uint32_t random_bits() {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<uint32_t>(state >> 33);
}

/// Bell-shaped, deviation about 1.
float random_value() {
  float sum = 0;
  for (int i = 0; i < 6; ++i) sum += static_cast<float>(random_bits() & 0xFFFF) / 65536 - 0.5f;
  return sum * 1.4f;
}

AlignedBuffer random_floats(uint64_t count, float deviation) {
  AlignedBuffer memory = buffer(count * sizeof(float));
  for (float& value : memory.floats()) value = random_value() * deviation;
  return memory;
}

/// Stored weights: deviation 0.02 for the float types, 0.24 % subnormal halves among them.
AlignedBuffer random_weights(Dtype dtype, uint64_t count) {
  const DtypeTraits& traits = dtype_traits(dtype);
  AlignedBuffer memory = buffer(count / traits.elements_per_block * traits.bytes_per_block);
  uint8_t* bytes = memory.data();
  const uint64_t byte_count = count / traits.elements_per_block * traits.bytes_per_block;
  for (uint64_t i = 0; i < byte_count; ++i) bytes[i] = static_cast<uint8_t>(random_bits());
  for (uint64_t i = 0; i < count / traits.elements_per_block; ++i) {
    uint8_t* element = bytes + i * traits.bytes_per_block;
    const float value = random_value() * 0.02f;
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    if (dtype == Dtype::f32) std::memcpy(element, &bits, 4);
    if (dtype == Dtype::bf16) std::memcpy(element, reinterpret_cast<const uint8_t*>(&bits) + 2, 2);
    if (dtype == Dtype::f16) {
      const uint32_t magnitude = bits & 0x7FFFFFFF;
      uint16_t half = static_cast<uint16_t>(bits >> 16 & 0x8000);
      if (magnitude >= 113u << 23) {
        half = static_cast<uint16_t>(half | (magnitude - (112u << 23)) >> 13);
      } else {
        half = static_cast<uint16_t>(
            half | static_cast<uint16_t>((value < 0 ? -value : value) * 16777216.0f));
      }
      std::memcpy(element, &half, 2);
    }
    if (is_block_dtype(dtype)) element[1] = 0x1C;  // d, about 0.004
    if (dtype == Dtype::q4_1 || dtype == Dtype::q5_1) element[3] = 0x1C;
  }
  return memory;
}

double seconds_of(const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  int repeats = 0;
  const auto start = Clock::now();
  double elapsed = 0;
  do {
    run();
    ++repeats;
    elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  } while (elapsed < kSecondsPerMeasurement);
  return elapsed / repeats;
}

/// The reference is left out where there is another: it is no contender.
std::vector<const KernelTable*> measured_tables() {
  std::vector<const KernelTable*> tables;
  for (const Variant variant : {Variant::simd128, Variant::relaxed}) {
    const KernelTable* table = find_kernels(variant);
    if (table != nullptr && table->packing.pack != nullptr) tables.push_back(table);
  }
  if (tables.empty()) tables.push_back(find_kernels(Variant::reference));
  return tables;
}

/// `amount` operations or bytes each run; printed as G per second.
void measure(const std::string& name, const char* unit, double amount,
             const std::function<void(const KernelTable&)>& run) {
  if (name.find(filter) == std::string::npos) return;
  const std::vector<const KernelTable*> tables = measured_tables();
  std::vector<std::vector<double>> seconds(tables.size());
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < tables.size(); ++i) {
      seconds[i].push_back(seconds_of([&] { run(*tables[i]); }));
    }
  }
  std::printf("%-34s", name.c_str());
  for (size_t i = 0; i < tables.size(); ++i) {
    std::sort(seconds[i].begin(), seconds[i].end());
    const double median = seconds[i][kRounds / 2];
    std::printf("  %9s %7.2f (%6.2f) %s %8.3f ms", variant_name(tables[i]->variant),
                amount / median / 1e9, amount / seconds[i][0] / 1e9, unit, median * 1e3);
  }
  std::printf("\n");
}

/// Weights as a loaded model has them for these kernels; `memory` holds them.
TensorView loaded_weights(const KernelTable& kernels, Dtype dtype, size_t n, size_t k,
                          const AlignedBuffer& stored, AlignedBuffer& memory) {
  TensorView view{dtype, Shape{n, k}, nullptr};
  const auto row_bytes = static_cast<size_t>(view.row_byte_count());
  const size_t bytes = round_up(n, kPackedRows) * row_bytes;
  memory = buffer(bytes);
  std::memcpy(memory.data(), stored.data(), n * row_bytes);
  view.data = memory.data();
  const WeightPacking& packing = kernels.packing;
  const MutableByteSpan packed = memory.bytes().first(bytes);
  if (is_block_dtype(dtype) && packing.pack != nullptr) {
    AlignedBuffer pack = buffer(kPackedRows * row_bytes);
    packing.pack(view, packing.layout, packed, pack.bytes());
    view.layout = packing.layout;
  } else if (dtype == Dtype::f16 && packing.rescale != nullptr &&
             packing.rescale(packed.first(n * row_bytes))) {
    view.layout = WeightLayout::rescaled_halves;
  }
  return view;
}

void bench_linear(Dtype dtype, size_t rows, size_t n, size_t k, Epilogue epilogue,
                  const char* note) {
  const AlignedBuffer stored = random_weights(dtype, n * k);
  AlignedBuffer memory[3];
  TensorView weights[3];
  for (const KernelTable* kernels : measured_tables()) {
    const auto variant = static_cast<size_t>(kernels->variant);
    weights[variant] = loaded_weights(*kernels, dtype, n, k, stored, memory[variant]);
  }
  AlignedBuffer x = random_floats(rows * k, 1);
  AlignedBuffer bias = random_floats(n, 1);
  AlignedBuffer y = random_floats(rows * n, 1);
  AlignedBuffer scratch = buffer(linear_scratch_floats(k) * sizeof(float));
  LinearArgs args;
  args.rows = rows;
  args.x = x.floats().data();
  args.x_stride = k;
  args.bias = bias.floats().data();
  args.y = y.floats().data();
  args.y_stride = n;
  args.epilogue = epilogue;
  args.scratch = scratch.floats();
  const std::string name = "linear " + std::string(dtype_traits(dtype).name) + " " +
                           std::to_string(rows) + "x" + std::to_string(n) + "x" +
                           std::to_string(k) + note;
  const auto run = [&](const KernelTable& kernels) {
    args.weight = weights[static_cast<size_t>(kernels.variant)];
    kernels.linear(args);
  };
  if (rows == 1) {
    const DtypeTraits& traits = dtype_traits(dtype);
    const auto bytes =
        static_cast<double>(n * k / traits.elements_per_block * traits.bytes_per_block);
    measure(name, "GB/s   ", bytes, run);
  } else {
    measure(name, "GFLOP/s", 2.0 * static_cast<double>(rows * n * k), run);
  }
}

void bench_conv(size_t frames, size_t stride, size_t channels_in, size_t channels_out) {
  const size_t k = 3 * channels_in;
  const AlignedBuffer weights = random_weights(Dtype::f32, k * channels_out);
  AlignedBuffer x = random_floats((frames * stride + 3) * channels_in, 1);
  AlignedBuffer bias = random_floats(channels_out, 1);
  AlignedBuffer y = random_floats(frames * channels_out, 1);
  AlignedBuffer scratch = buffer(linear_scratch_floats(k) * sizeof(float));
  LinearArgs args;
  args.rows = frames;
  args.x = x.floats().data();
  args.x_stride = stride * channels_in;
  args.weight.shape = Shape{channels_out, k};
  args.weight.data = weights.data();
  args.bias = bias.floats().data();
  args.y = y.floats().data();
  args.y_stride = channels_out;
  args.epilogue = Epilogue::gelu;
  args.scratch = scratch.floats();
  measure("convolution " + std::to_string(frames) + "x" + std::to_string(channels_out) + "x3x" +
              std::to_string(channels_in),
          "GFLOP/s", 2.0 * static_cast<double>(frames * k * channels_out),
          [&](const KernelTable& kernels) { kernels.linear(args); });
}

/// `copies` of keys and values are used in turn: one stays in the caches, many come from memory as
/// in a decoder.
void bench_attention(size_t queries, size_t keys, size_t heads, size_t head_size, size_t copies) {
  const size_t width = heads * head_size;
  AlignedBuffer q = random_floats(queries * width, 1);
  AlignedBuffer k = random_floats(copies * keys * width, 1);
  AlignedBuffer v = random_floats(copies * keys * width, 1);
  AlignedBuffer out = random_floats(queries * width, 1);
  AlignedBuffer scratch = buffer(attention_scratch_floats(keys, head_size) * sizeof(float));
  AttentionArgs args;
  args.query_rows = queries;
  args.key_rows = keys;
  args.head_count = heads;
  args.head_size = head_size;
  args.scale = 0.125f;
  args.q = q.floats().data();
  args.out = out.floats().data();
  args.q_stride = args.k_stride = args.v_stride = args.out_stride = width;
  args.scratch = scratch.floats();
  size_t copy = 0;
  measure("attention " + std::to_string(queries) + "x" + std::to_string(keys) + " " +
              std::to_string(heads) + "x" + std::to_string(head_size) +
              (copies > 1 ? " memory" : ""),
          "GFLOP/s", 4.0 * static_cast<double>(queries * keys * width),
          [&](const KernelTable& kernels) {
            copy = (copy + 1) % copies;
            args.k = k.floats().data() + copy * keys * width;
            args.v = v.floats().data() + copy * keys * width;
            kernels.attention(args);
          });
}

/// Attention with integer keys and values, which each variant makes for itself.
void bench_int8_attention(size_t queries, size_t keys, size_t heads, size_t head_size,
                          size_t copies) {
  const size_t width = heads * head_size;
  AlignedBuffer q = random_floats(queries * width, 1);
  AlignedBuffer k = random_floats(keys * width, 1);
  AlignedBuffer v = random_floats(keys * width, 1);
  AlignedBuffer out = random_floats(queries * width, 1);
  AlignedBuffer scratch = buffer(int8_attention_scratch_floats(keys, head_size) * sizeof(float));
  const size_t kv_bytes = heads * Int8KvLayout(keys, head_size).head_bytes;
  AlignedBuffer kv = buffer(2 * copies * kv_bytes);
  QuantizeKvArgs to_bytes = {.key_rows = keys,
                             .head_count = heads,
                             .head_size = head_size,
                             .k = k.floats().data(),
                             .k_stride = width,
                             .v = v.floats().data(),
                             .v_stride = width};
  AttentionArgs args = {.query_rows = queries,
                        .key_rows = keys,
                        .head_count = heads,
                        .head_size = head_size,
                        .scale = 0.125f,
                        .q = q.floats().data(),
                        .q_stride = width,
                        .out = out.floats().data(),
                        .out_stride = width,
                        .scratch = scratch.floats()};
  const std::string shape = std::to_string(queries) + "x" + std::to_string(keys) + " " +
                            std::to_string(heads) + "x" + std::to_string(head_size) +
                            (copies > 1 ? " memory" : "");
  const auto order = [](const KernelTable& kernels) { return kernels.variant == Variant::relaxed; };
  for (const KernelTable* kernels : measured_tables()) {
    for (size_t c = 0; c < copies; ++c) {
      to_bytes.kv = {kv.data() + (2 * c + order(*kernels)) * kv_bytes, kernels->packing.layout};
      kernels->quantize_kv(to_bytes);
    }
  }
  size_t copy = 0;
  measure("int8_attention " + shape, "GOP/s  ", 4.0 * static_cast<double>(queries * keys * width),
          [&](const KernelTable& kernels) {
            copy = (copy + 1) % copies;
            args.kv = {kv.data() + (2 * copy + order(kernels)) * kv_bytes, kernels.packing.layout};
            kernels.int8_attention(args);
          });
  if (queries == 1) return;
  measure("quantize_kv " + shape, "Gvalue/s", 2.0 * static_cast<double>(keys * width),
          [&](const KernelTable& kernels) {
            to_bytes.kv = {kv.data(), kernels.packing.layout};
            kernels.quantize_kv(to_bytes);
          });
}

void bench_rows() {
  AlignedBuffer x = random_floats(1500 * 384, 3);
  AlignedBuffer y = random_floats(1500 * 384, 3);
  AlignedBuffer gamma = random_floats(384, 1);
  const size_t count = 1500 * 384;
  measure("gelu 1500x384", "Gvalue/s", count, [&](const KernelTable& kernels) {
    kernels.gelu(count, x.floats().data(), y.floats().data());
  });
  measure("layer_norm 1500x384", "Gvalue/s", count, [&](const KernelTable& kernels) {
    kernels.layer_norm(1500, 384, x.floats().data(), 384, gamma.floats().data(),
                       gamma.floats().data(), y.floats().data(), 384);
  });
  measure("softmax 384x1500", "Gvalue/s", count,
          [&](const KernelTable& kernels) { kernels.softmax(384, 1500, y.floats().data(), 1500); });
  for (const Dtype dtype : {Dtype::f16, Dtype::q8_0, Dtype::q5_1}) {
    const AlignedBuffer weights = random_weights(dtype, count);
    measure("dequantize_row " + std::string(dtype_traits(dtype).name), "Gvalue/s", count,
            [&](const KernelTable& kernels) {
              kernels.dequantize_row(dtype, weights.data(), count, y.floats().data());
            });
  }
}

void bench_all() {
  bench_linear(Dtype::f32, 1500, 384, 384, Epilogue::accumulate, "");
  bench_linear(Dtype::f32, 1500, 1536, 384, Epilogue::store, "");
  bench_linear(Dtype::f32, 1500, 1536, 384, Epilogue::gelu, " gelu");
  bench_linear(Dtype::f32, 1500, 384, 1536, Epilogue::accumulate, "");
  bench_linear(Dtype::q8_0, 1500, 384, 384, Epilogue::accumulate, "");
  bench_linear(Dtype::f16, 1500, 512, 2048, Epilogue::accumulate, "");
  bench_conv(3000, 1, 80, 384);
  bench_conv(1500, 2, 384, 384);
  bench_linear(Dtype::f16, 1500, 384, 384, Epilogue::accumulate, "");
  bench_linear(Dtype::f32, 5, 51865, 384, Epilogue::store, "");
  bench_attention(1500, 1500, 6, 64, 1);
  bench_attention(1, 1500, 6, 64, 1);
  bench_attention(1, 1500, 6, 64, 16);
  bench_attention(1, 200, 6, 64, 1);
  bench_int8_attention(1500, 1500, 6, 64, 1);
  bench_int8_attention(5, 1500, 6, 64, 16);
  bench_int8_attention(1, 1500, 6, 64, 1);
  bench_int8_attention(1, 1500, 6, 64, 16);
  bench_rows();
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16, Dtype::q8_0, Dtype::q4_0,
                            Dtype::q4_1, Dtype::q5_0, Dtype::q5_1}) {
    bench_linear(dtype, 1, 51865, 384, Epilogue::store, "");
    bench_linear(dtype, 1, 384, 384, Epilogue::store, "");
  }
}

}  // namespace
}  // namespace susurrus

int main(int argc, char** argv) {
  if (argc > 1) susurrus::filter = argv[1];
  susurrus::bench_all();
}
