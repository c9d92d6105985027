// A traced pass against passes over every prefix, and against float64.
#include <algorithm>
#include <cmath>

#include "whisper/encoded_model.h"

namespace susurrus::testing::trace_test {
namespace {

void run(WhisperModel& model) {
  while (!model.decode_step()) {
  }
}

/// Row `row` of a table of `width` columns.
template <class Values>
auto row_of(const Values& values, size_t row, size_t width) {
  return std::span(values).subspan(row * width, width);
}

void check_scores(WhisperModel& model, const DecoderTrace& trace, size_t place,
                  const ExactDecoding& exact) {
  const WhisperDimensions& d = model.dimensions();
  const size_t width = d.n_text_state;
  const size_t size = width / d.n_text_head;
  const uint32_t layer = trace.layers[place];
  // Fewer frames than the encoder has, and a part of the rows.
  const size_t frames = d.n_audio_ctx - 1;
  const size_t first = trace.token_count > 1 ? 1 : 0;
  const size_t rows = trace.token_count - first;
  const std::span<const float> queries =
      trace.queries.floats().subspan((place * trace.token_count + first) * width, rows * width);
  for (size_t head = 0; head < d.n_text_head; ++head) {
    std::vector<float> scores(rows * frames);
    model.cross_scores(layer, head, queries, frames, scores.data());
    std::vector<double> expected(rows * frames);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t t = 0; t < frames; ++t) {
        for (size_t i = head * size; i < (head + 1) * size; ++i) {
          expected[r * frames + t] += exact.queries[layer][(first + r) * width + i] *
                                      exact.keys[layer][t * width + i] /
                                      std::sqrt(static_cast<double>(size));
        }
      }
    }
    EXPECT_NEAR(relative_error(scores, expected.data()), 0, 2e-5);
  }
}

void check_trace(const WhisperDimensions& dimensions, Dtype dtype, size_t token_count,
                 std::vector<uint32_t> layers) {
  for (const KernelTable* kernels : compiled_kernels()) {
    RandomModel random = random_model(dimensions, 31, dtype);
    auto model = make_model(random, *kernels);
    ASSERT_TRUE(model != nullptr);
    const std::vector<double> mel = fill_mel(*model, 3);
    encode(*model);
    const std::vector<uint32_t> tokens = random_tokens(token_count, dimensions.n_vocab);
    const ExactDecoding exact = exact_decoding(random, exact_encoder(random, mel), tokens);
    // Something read before does not matter.
    ASSERT_TRUE(model->decode(std::span(tokens).last(1)).has_value());

    DecoderTrace trace;
    trace.layers = layers;
    ASSERT_TRUE(model->begin_traced_decode(tokens, trace).has_value());
    run(*model);
    EXPECT_EQ(model->decoder_position(), token_count);
    EXPECT_EQ(trace.token_count, token_count);
    const size_t width = dimensions.n_text_state;
    ASSERT_EQ(trace.hidden.floats().size(), token_count * width);
    ASSERT_EQ(trace.queries.floats().size(), layers.size() * token_count * width);
    EXPECT_NEAR(relative_error(trace.hidden.floats(), exact.hidden.data()), 0, 2e-5);
    for (size_t i = 0; i < layers.size(); ++i) {
      EXPECT_NEAR(relative_error(row_of(trace.queries.floats(), i, token_count * width),
                                 exact.queries[layers[i]].data()),
                  0, 2e-5);
      check_scores(*model, trace, i, exact);
    }

    // Logits of the trace, some rows at a time.
    std::vector<std::vector<float>> logits;
    for (size_t row = 0, rows = 1; row < token_count; row += rows) {
      rows = std::min(rows % kTraceLogitRows + 1, token_count - row);
      model->begin_logits(std::span<const float>(trace.hidden.floats()).subspan(row * width), rows);
      run(*model);
      for (size_t i = 0; i < rows; ++i) {
        logits.emplace_back(model->logits(i).begin(), model->logits(i).end());
      }
    }
    EXPECT_EQ(model->decoder_position(), token_count);
    for (size_t i = 0; i < token_count; i += token_count > 20 ? 13 : 1) {
      model->reset_decoder();
      auto alone = model->decode(std::span(tokens).first(i + 1));
      ASSERT_TRUE(alone.has_value());
      const std::vector<double> expected(alone->begin(), alone->end());
      EXPECT_LE(relative_error(logits[i], expected.data()),
                kernels->variant == Variant::reference ? 0.0 : 1e-5);
    }
  }
}

}  // namespace

SUSURRUS_TEST(a_traced_pass_gives_what_every_prefix_gives) {
  check_trace(kOddDimensions, Dtype::f32, 9, {0, 1});
  check_trace(kOddDimensions, Dtype::f16, 140, {1});
  check_trace(kBlockDimensions, Dtype::q5_1, 65, {});
  check_trace(kBlockDimensions, Dtype::q8_0, 1, {0});
}

SUSURRUS_TEST(a_traced_pass_goes_on_as_a_sequence) {
  RandomModel random = random_model(kOddDimensions, 32);
  auto model = make_model(random, default_kernels());
  ASSERT_TRUE(model != nullptr);
  fill_mel(*model, 4);
  encode(*model);
  const std::vector<uint32_t> tokens = {5, 6, 7};
  const uint32_t next = 8;
  ASSERT_TRUE(model->decode(tokens).has_value());
  auto plain = model->decode({&next, 1});
  ASSERT_TRUE(plain.has_value());
  const std::vector<float> expected(plain->begin(), plain->end());

  // Sequences under way end.
  model->reset_decoder();
  ASSERT_TRUE(model->reserve_sequences(2, 4).has_value());
  ASSERT_TRUE(model->decode(tokens).has_value());
  const uint32_t spread[] = {0, 0};
  const uint32_t two[] = {1, 2};
  model->fork(spread);
  ASSERT_TRUE(model->begin_decode_each(two).has_value());
  run(*model);
  DecoderTrace trace;
  ASSERT_TRUE(model->begin_traced_decode(tokens, trace).has_value());
  run(*model);
  auto after = model->decode({&next, 1});
  ASSERT_TRUE(after.has_value());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), after->begin()));
}

SUSURRUS_TEST(a_traced_pass_refuses_what_it_cannot_do) {
  RandomModel random = random_model(kOddDimensions, 33);
  auto model = make_model(random, default_kernels());
  ASSERT_TRUE(model != nullptr);
  DecoderTrace trace;
  const std::vector<uint32_t> tokens = {1, 2};
  EXPECT_EQ(model->begin_traced_decode(tokens, trace).error().code, ErrorCode::wrong_state);
  fill_mel(*model, 4);
  encode(*model);
  const std::vector<uint32_t> too_many(kOddDimensions.n_text_ctx + 1, 1);
  EXPECT_EQ(model->begin_traced_decode(too_many, trace).error().code, ErrorCode::invalid_argument);
  trace.layers = {kOddDimensions.n_text_layer};
  auto status = model->begin_traced_decode(tokens, trace);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(status.error().subject.view(), "layers");
}

}  // namespace susurrus::testing::trace_test
