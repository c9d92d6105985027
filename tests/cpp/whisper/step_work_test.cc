// How much is computed between two returns to the caller: counted from the kernels' arguments on real dimensions, without
// computing anything.
#include <algorithm>
#include <vector>

#include "families/whisper/decoder.h"
#include "families/whisper/encoder.h"
#include "harness.h"
#include "whisper/counted_work.h"

namespace susurrus::testing::step_work_test {
namespace {

// 0.2 GFLOP.
constexpr uint64_t kMostMultiplyAdds = 100'000'000;

constexpr WhisperDimensions kBase = {51865, 1500, 448, 80, 6, 6, 8, 8, 512, 512};
constexpr WhisperDimensions kLarge = {51866, 1500, 448, 128, 32, 32, 20, 20, 1280, 1280};

/// The largest state of any Whisper.
constexpr uint64_t kMostState = 1280;

uint64_t work_of_step = 0;

const KernelTable kCounting = {
    .variant = Variant::reference,
    .packing = {},
    .linear = [](const LinearArgs& args) { work_of_step += counted_work(args); },
    .attention = [](const AttentionArgs& args) { work_of_step += counted_work(args); },
    .int8_attention = [](const AttentionArgs& args) { work_of_step += counted_work(args); },
    .quantize_kv = [](const QuantizeKvArgs& args) { work_of_step += counted_work(args); },
    .attention_scores = nullptr,
    .layer_norm = [](size_t rows, size_t columns, const float*, size_t, const float*, const float*,
                     float*, size_t) { work_of_step += counted_norm_work(rows, columns); },
    .softmax = nullptr,
    .exponential_sum = nullptr,
    .first_above = nullptr,
    .gelu = nullptr,
    .sigmoid = nullptr,
    .tanh = nullptr,
    .fold_frames = nullptr,
    .convolve_frames = nullptr,
    .add = [](size_t count, const float*, float*) { work_of_step += count; },
    .dequantize_row = [](Dtype, const uint8_t*, size_t, float*) {},
};

/// Weights of the shapes that `d` says; their values do not matter, but for the embedding of token 1.
class ShapesAlone {
 public:
  explicit ShapesAlone(const WhisperDimensions& d) {
    const uint64_t state = d.n_audio_state;
    weights.conv1 = linear({state, 3 * uint64_t{d.n_mels}});
    weights.conv2 = linear({state, 3 * state});
    weights.encoder_positions = tensor({d.n_audio_ctx, state});
    weights.encoder_norm = norm(state);
    weights.encoder_layers.assign(d.n_audio_layer, {norm(state), attention(state), mlp(state)});
    weights.token_embedding = tensor({d.n_vocab, state});
    weights.decoder_positions = tensor({d.n_text_ctx, state});
    weights.decoder_layers.assign(
        d.n_text_layer, {norm(state), attention(state), norm(state), attention(state), mlp(state)});
    weights.decoder_norm = norm(state);
    weights.has_encoder = weights.has_decoder = true;
  }

  WhisperWeights weights;

 private:
  static TensorView tensor(Shape shape) {
    static const uint8_t zeros[2 * kMostState * sizeof(uint16_t)] = {};
    return {Dtype::f16, shape, zeros};
  }
  static NormWeights norm(uint64_t state) { return {tensor({state}), tensor({state})}; }
  static LinearWeights linear(Shape shape) { return {tensor(shape), tensor({shape[0]})}; }
  static AttentionWeights attention(uint64_t state) {
    const LinearWeights one = linear({state, state});
    return {one, {one.weight, {}}, one, one};
  }
  static MlpWeights mlp(uint64_t state) {
    return {norm(state), linear({4 * state, state}), linear({state, 4 * state})};
  }
};

struct Counted {
  size_t steps = 0;
  uint64_t total = 0;
};

template <class Network>
Counted run(Network& network) {
  Counted counted;
  for (bool is_done = false; !is_done;) {
    work_of_step = 0;
    is_done = network.step();
    EXPECT_LE(work_of_step, kMostMultiplyAdds);
    // A step is worth its return, unless it is the last.
    if (!is_done) EXPECT_GE(work_of_step, kMostMultiplyAdds / 2);
    ++counted.steps;
    counted.total += work_of_step;
    if (current_case_failed()) break;
  }
  return counted;
}

void check_steps(const WhisperDimensions& d, WeightLayout kv_layout) {
  const ShapesAlone shapes(d);
  auto state = WhisperState::create(d, kv_layout);
  ASSERT_TRUE(state.has_value());
  const uint64_t width = d.n_audio_state;
  const uint64_t frames = d.n_audio_ctx;
  const uint64_t decoder_matrices = d.n_text_layer * 14 * width * width;
  const uint64_t logits = d.n_vocab * width;

  Encoder encoder(shapes.weights, *state, kCounting);
  encoder.begin(d.n_audio_ctx);
  const Counted encoding = run(encoder);
  // Every product is there: layers, cross-attention's keys and values, convolutions; and little more.
  const uint64_t encoder_products =
      d.n_audio_layer * (frames * 12 * width * width + 2 * frames * frames * width) +
      d.n_text_layer * 2 * frames * width * width +
      3 * width * frames * (2 * uint64_t{d.n_mels} + width);
  EXPECT_GE(encoding.total, encoder_products);
  EXPECT_LE(encoding.total, encoder_products + encoder_products / 10);

  Decoder decoder(shapes.weights, *state, kCounting);
  for (size_t prompt : {4, 227, 448}) {
    decoder.reset();
    decoder.begin(std::vector<uint32_t>(prompt, 1));
    const Counted counted = run(decoder);
    EXPECT_GE(counted.total, prompt * decoder_matrices + logits);
    EXPECT_EQ(decoder.position(), prompt);
  }

  decoder.reset();
  decoder.begin(std::vector<uint32_t>(227, 1));
  run(decoder);
  for (int i = 0; i < 20; ++i) {
    decoder.begin(std::vector<uint32_t>(1, 1));
    EXPECT_GE(run(decoder).total, decoder_matrices + logits);
  }

  for (size_t count : {5, 64}) {
    // Where they are is enough: large's 5 beams of 224 tokens would take 370 MB.
    ASSERT_TRUE(decoder.reserve_sequences(count, 3).has_value());
    decoder.fork(std::vector<uint32_t>(count, 0));
    for (int i = 0; i < 3; ++i) {
      decoder.begin_each(std::vector<uint32_t>(count, 1));
      EXPECT_GE(run(decoder).total, count * (decoder_matrices + logits));
    }
  }

  for (size_t tokens : {1, 60, 448}) {
    DecoderTrace trace;
    for (uint32_t layer = d.n_text_layer / 2; layer < d.n_text_layer; ++layer) {
      trace.layers.push_back(layer);
    }
    ASSERT_TRUE(decoder.begin_traced(std::vector<uint32_t>(tokens, 1), trace).has_value());
    const Counted counted = run(decoder);
    EXPECT_GE(counted.total, tokens * decoder_matrices);
    for (size_t rows : {size_t{1}, kTraceLogitRows}) {
      decoder.begin_logits(trace.hidden.floats().data(), rows);
      EXPECT_EQ(run(decoder).total, rows * logits);
    }
  }
}

}  // namespace

SUSURRUS_TEST(steps_of_base_stay_within_a_fifth_of_a_gigaflop) {
  check_steps(kBase, WeightLayout::rows);
  check_steps(kBase, WeightLayout::panels_of_4);
}

SUSURRUS_TEST(steps_of_large_stay_within_a_fifth_of_a_gigaflop) {
  check_steps(kLarge, WeightLayout::rows);
  check_steps(kLarge, WeightLayout::panels_of_4);
}

}  // namespace susurrus::testing::step_work_test
