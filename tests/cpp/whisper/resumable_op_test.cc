// Pieces of operations: together they are the whole, and each is within its budget.
#include <algorithm>
#include <vector>

#include "families/whisper/resumable_op.h"
#include "families/whisper/state.h"
#include "harness.h"
#include "whisper/counted_work.h"

namespace susurrus::testing::resumable_op_test {
namespace {

/// Stands in for kernels and writes down which outputs a piece covers.
struct Recorder {
  std::vector<int> covered;  // rows x lanes
  size_t lanes = 0;
  const float* base = nullptr;
  uint64_t piece_work = 0;
};
Recorder recorder;
const uint32_t own_rows[1] = {};

void record_linear(const LinearArgs& args) {
  const size_t columns = static_cast<size_t>(args.weight.shape[0]);
  recorder.piece_work = counted_work(args);
  const auto begin = static_cast<size_t>(args.y - recorder.base);
  for (size_t r = 0; r < args.rows; ++r) {
    for (size_t n = 0; n < columns; ++n) ++recorder.covered[begin + r * args.y_stride + n];
  }
}

void record_attention(const AttentionArgs& args) {
  recorder.piece_work = counted_work(args);
  const auto first_row = static_cast<size_t>(args.out - recorder.base) / args.out_stride;
  EXPECT_EQ(args.causal_offset, 3 + first_row);
  EXPECT_EQ(static_cast<size_t>(args.own.rows - own_rows), first_row * args.own.rows_stride);
  for (size_t r = 0; r < args.query_rows; ++r) {
    for (size_t h = 0; h < args.head_count; ++h) {
      ++recorder.covered[(first_row + r) * recorder.lanes + args.head_first + h];
    }
  }
}

const KernelTable kRecording = {.variant = Variant::reference,
                                .packing = {},
                                .linear = record_linear,
                                .attention = record_attention,
                                .int8_attention = nullptr,
                                .quantize_kv = nullptr,
                                .attention_scores = nullptr,
                                .layer_norm = nullptr,
                                .softmax = nullptr,
                                .exponential_sum = nullptr,
                                .first_above = nullptr,
                                .gelu = nullptr,
                                .sigmoid = nullptr,
                                .tanh = nullptr,
                                .fold_frames = nullptr,
                                .convolve_frames = nullptr,
                                .add = nullptr,
                                .dequantize_row = nullptr};

/// Pieces find the budgets in turn, as they do where other operations share their steps.
void run_and_check(ResumableOp op, size_t rows, size_t lanes, std::vector<uint64_t> budgets) {
  recorder.covered.assign(rows * lanes, 0);
  recorder.lanes = lanes;
  uint64_t total = 0;
  for (size_t i = 0; !op.is_done(); ++i) {
    const uint64_t budget = budgets[i % budgets.size()];
    const uint64_t work = op.run_piece(kRecording, budget);
    EXPECT_EQ(work, recorder.piece_work);
    EXPECT_LE(work, budget);
    total += work;
    ASSERT_TRUE(work > 0);
  }
  EXPECT_EQ(op.run_piece(kRecording, budgets[0]), 0u);
  EXPECT_TRUE(std::ranges::all_of(recorder.covered, [](int count) { return count == 1; }));
  EXPECT_GT(total, 0u);
}

void check_linear(size_t rows, size_t n, size_t k, std::vector<uint64_t> budgets) {
  // Nothing is read or written: addresses alone.
  static float place[1];
  static uint8_t weight[1];
  recorder.base = place;
  LinearArgs args;
  args.rows = rows;
  args.x = place;
  args.x_stride = k;
  args.weight = {Dtype::f32, Shape({n, k}), weight};
  args.y = place;
  args.y_stride = n;
  run_and_check(ResumableOp(args), rows, n, budgets);
}

void check_attention(size_t rows, size_t keys, size_t heads, size_t head_size,
                     std::vector<uint64_t> budgets) {
  static float place[1];
  recorder.base = place;
  AttentionArgs args;
  args.query_rows = rows;
  args.key_rows = keys;
  args.head_count = heads;
  args.head_size = head_size;
  args.causal_offset = 3;
  args.q = args.k = args.v = place;
  args.out = place;
  args.q_stride = args.k_stride = args.v_stride = args.out_stride = heads * head_size;
  args.own = {.rows = own_rows, .rows_stride = 7};
  run_and_check(ResumableOp(args), rows, heads, budgets);
}

const std::vector<uint64_t> kBudgets[] = {
    {kStepMultiplyAdds},
    {30'000'000},
    {kStepMultiplyAdds, kLeastPieceMultiplyAdds},
    {60'000'000, 40'000'000, kStepMultiplyAdds, 35'000'000, kLeastPieceMultiplyAdds},
};

}  // namespace

SUSURRUS_TEST(linear_pieces_cover_everything_once_within_the_budget) {
  for (const auto& budgets : kBudgets) {
    check_linear(1500, 384, 384, budgets);  // tiny
    check_linear(750, 1536, 384, budgets);
    check_linear(1500, 1280, 1280, budgets);  // large
    check_linear(750, 5120, 1280, budgets);
    check_linear(750, 1280, 5120, budgets);
    check_linear(1, 51866, 1280, budgets);  // the logits
    check_linear(5, 51866, 1280, budgets);  // of five sequences
    check_linear(300, 200, 20000, budgets);
    check_linear(7, 3, 5, budgets);
  }
  check_linear(100, 17, 9, {9 * 16});
}

SUSURRUS_TEST(attention_pieces_cover_everything_once_within_the_budget) {
  for (const auto& budgets : kBudgets) {
    check_attention(1500, 1500, 20, 64, budgets);
    check_attention(1, 1500, 20, 64, budgets);
    check_attention(64, 1500, 20, 64, budgets);
  }
  check_attention(13, 17, 3, 5, {500});
}

SUSURRUS_TEST(state_plan_of_official_models) {
  const WhisperDimensions tiny = {51865, 1500, 448, 80, 4, 4, 6, 6, 384, 384};
  auto plan = StatePlan::make(tiny);
  ASSERT_TRUE(plan.has_value());
  const uint64_t self = 4ull * 2 * 448 * 384 * 4;
  const uint64_t cross = 4ull * 2 * 1500 * 384 * 4;
  EXPECT_EQ(plan->kv_byte_count(), self + cross);
  EXPECT_LT(plan->activation_byte_count(), 28ull << 20);

  // As integers: next to no scratch memory, and for each head 1500 keys in panels of 8, and values in 8 panels of columns with a
  // scale for every 64 keys (192 and 24 of them), and three rows for the columns.
  constexpr uint64_t kHeadBytes = 192 * (64 + 8 * 64) + 8 * 24 * (32 + 8 * 64) + 3 * 64 * 4;
  auto bytes = StatePlan::make(tiny, WeightLayout::panels_of_4);
  ASSERT_TRUE(bytes.has_value());
  EXPECT_EQ(bytes->kv_byte_count(), self + 4 * 6 * kHeadBytes);
  EXPECT_LT(bytes->activation_byte_count(), plan->activation_byte_count());
  EXPECT_EQ(bytes->audio_kv.count, 6 * kHeadBytes / 4);
  EXPECT_GE(bytes->audio_kv.offset, bytes->wide.offset + bytes->wide.count);
  EXPECT_LE(bytes->audio_kv.offset + bytes->audio_kv.count, bytes->activation_float_count);

  auto state = WhisperState::create(tiny);
  ASSERT_TRUE(state.has_value());
  // Every region lies within what was reserved, and those alive together do not touch.
  const StatePlan::Region lasting[] = {plan->mel, plan->audio, plan->kernel, plan->vectors,
                                       plan->tokens};
  const StatePlan::Region encoder[] = {plan->normed, plan->wide};
  const StatePlan::Region decoder[] = {plan->text, plan->text_normed, plan->text_query,
                                       plan->text_hidden, plan->logits};
  uint64_t end = 0;
  for (const auto& region : lasting) {
    EXPECT_GE(region.offset, end);
    end = region.offset + region.count;
  }
  for (auto group :
       {std::span<const StatePlan::Region>(encoder), std::span<const StatePlan::Region>(decoder)}) {
    uint64_t group_end = end;
    for (const auto& region : group) {
      EXPECT_GE(region.offset, group_end);
      EXPECT_EQ(region.offset % 16, 0u);
      group_end = region.offset + region.count;
    }
    EXPECT_LE(group_end, plan->activation_float_count);
  }
  EXPECT_GE(plan->samples.offset, end);
  EXPECT_LE(plan->samples.offset + plan->samples.count, plan->activation_float_count);
  EXPECT_EQ(plan->samples.count, 480'400u);
}

SUSURRUS_TEST(a_plan_beyond_all_memory_is_an_error) {
  WhisperDimensions huge = {51865,      0x7FFFFFFF, 0x7FFFFFFF, 80,         4,
                            0x7FFFFFFF, 1,          1,          0x7FFFFFFF, 0x7FFFFFFF};
  auto plan = StatePlan::make(huge);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().code, ErrorCode::out_of_memory);
}

}  // namespace susurrus::testing::resumable_op_test
