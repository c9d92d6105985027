// Operations and whole networks give the same bits whatever the number of threads.
#ifdef SUSURRUS_THREADS
#include <cstring>
#include <mutex>
#include <set>

#include "families/whisper/resumable_op.h"
#include "parallel/running_threads.h"
#include "whisper/encoded_model.h"

namespace susurrus::testing::threads_test {
namespace {

/// A budget so large that one piece does a whole operation.
constexpr uint64_t kNoEnd = uint64_t{1} << 50;

/// Large enough for several slices of everything.
constexpr WhisperDimensions kWideDimensions = {.n_vocab = 3000,
                                               .n_audio_ctx = 420,
                                               .n_text_ctx = 150,
                                               .n_mels = 9,
                                               .n_audio_layer = 1,
                                               .n_text_layer = 2,
                                               .n_audio_head = 3,
                                               .n_text_head = 6,
                                               .n_audio_state = 96,
                                               .n_text_state = 96};

struct Outputs {
  std::vector<float> audio;
  std::vector<float> logits;
  bool operator==(const Outputs&) const = default;
};

Outputs outputs_of(const KernelTable& kernels, Dtype dtype) {
  RandomModel random = random_model(kWideDimensions, 7, dtype);
  auto model = make_model(random, kernels);
  if (model == nullptr) return {};
  fill_mel(*model, 3);
  encode(*model);
  const auto audio = model->encoder_output();
  Outputs outputs = {{audio.begin(), audio.end()}, {}};
  const std::vector<uint32_t> tokens = random_tokens(83, kWideDimensions.n_vocab);
  size_t fed = 0;
  for (size_t count : {70, 1, 4, 1, 7}) {
    auto logits = model->decode(std::span(tokens).subspan(fed, count));
    if (!logits) return {};
    outputs.logits.insert(outputs.logits.end(), logits->begin(), logits->end());
    fed += count;
  }
  return outputs;
}

/// Stands in for a kernel: which scratch memory its slices had.
std::mutex mutex;
std::set<std::pair<const float*, size_t>> scratches;
std::vector<size_t> slice_rows;

void record_linear(const LinearArgs& args) {
  const std::scoped_lock lock(mutex);
  scratches.insert({args.scratch.data(), args.scratch.size()});
  slice_rows.push_back(args.rows);
}

KernelTable recording_kernels() {
  KernelTable kernels = *find_kernels(Variant::reference);
  kernels.linear = record_linear;
  return kernels;
}
const KernelTable kRecording = recording_kernels();

}  // namespace

SUSURRUS_TEST(encoder_and_decoder_give_the_same_bits_with_any_number_of_threads) {
  for (const KernelTable* kernels : compiled_kernels()) {
    for (Dtype dtype : {Dtype::f32, Dtype::q8_0}) {
      const Outputs alone = outputs_of(*kernels, dtype);
      ASSERT_TRUE(!alone.logits.empty());
      for (size_t count : {1, 2, 3, 8}) {
        RunningThreads threads(count);
        EXPECT_TRUE(outputs_of(*kernels, dtype) == alone);
      }
    }
  }
}

SUSURRUS_TEST(every_thread_has_scratch_memory_of_its_own) {
  RunningThreads threads(3);
  static float place[1];
  static uint8_t weight[1];
  std::vector<float> scratch(3 * 160 + 15);
  LinearArgs args;
  args.rows = 1500;
  args.x = place;
  args.y = place;
  args.weight = {Dtype::f32, Shape({384, 384}), weight};
  args.scratch = scratch;
  scratches.clear();
  for (int i = 0; i < 200; ++i) ResumableOp(args).run_piece(kRecording, kNoEnd);
  for (const auto& [memory, count] : scratches) {
    EXPECT_EQ(count, 160u);
    EXPECT_EQ(static_cast<size_t>(memory - scratch.data()) % 160, 0u);
  }
  EXPECT_LE(scratches.size(), 3u);
}

SUSURRUS_TEST(neither_pieces_nor_slices_make_few_rows_of_many) {
  RunningThreads threads(3);
  static float place[1];
  static uint8_t weight[1];
  for (size_t rows = 1; rows < 400; ++rows) {
    for (uint64_t budget : {kLeastPieceMultiplyAdds, 10'000'000 + rows * 20'000}) {
      LinearArgs args;
      args.rows = rows;
      args.x = place;
      args.y = place;
      args.weight = {Dtype::f32, Shape({512, 384}), weight};
      ResumableOp op(args);
      slice_rows.clear();
      while (!op.is_done()) op.run_piece(kRecording, budget);
      for (size_t slice : slice_rows) EXPECT_GE(slice, std::min<size_t>(rows, 8));
    }
  }
}

}  // namespace susurrus::testing::threads_test
#endif
