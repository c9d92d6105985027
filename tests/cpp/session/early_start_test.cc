// An engine that is made before its weights have arrived: it runs as far as they have, and to the same bits.
#include <algorithm>
#include <cstring>
#include <functional>

#include "facts/whisper.h"
#include "families/dummy_family.h"
#include "families/whisper/tensor_names.h"
#include "harness.h"
#include "session/recording_run.h"
#include "session/transcriber.h"
#include "whisper/encoded_model.h"

namespace susurrus::testing::early_start_test {
namespace {

/// A file on its way into a store, tensor by tensor.
class Arrival {
 public:
  Arrival(RandomFile file, const WeightPacking& packing)
      : file_(std::move(file)), store_(whisper_alone(), packing), order_(file_.infos.size()) {
    for (size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    ModelManifest manifest = file_.manifest();
    EXPECT_TRUE(store_.on_manifest(manifest).has_value());
    EXPECT_TRUE(store_.can_begin());
  }

  void reverse() { std::ranges::reverse(order_); }
  WeightStore& store() { return store_; }
  std::string_view last_name() const { return file_.infos[order_[next_ - 1]].name; }
  bool is_over() const { return next_ == order_.size(); }
  size_t count() const { return next_; }

  /// The next tensor; `at_cut` is called after each piece but the last, with the tensor not complete.
  void push(size_t piece_bytes, const std::function<void()>& at_cut = [] {}) {
    const size_t tensor = order_[next_++];
    const TensorInfo& info = file_.infos[tensor];
    ByteSpan bytes = file_.bytes(tensor);
    const bool streams = store_.stream_tensor(info).value();
    MutableByteSpan place;
    if (!streams) place = store_.place_tensor(info).value();
    while (!bytes.empty()) {
      const size_t count = std::min(piece_bytes, bytes.size());
      if (streams) {
        store_.on_tensor_bytes(bytes.first(count));
      } else {
        std::memcpy(place.data(), bytes.data(), count);
        place = place.subspan(count);
      }
      bytes = bytes.subspan(count);
      at_cut();
    }
    store_.on_tensor_complete(info);
  }
  /// Pushes what is needed next: a tensor or, in the end, the news that all is verified.
  void push_more() {
    if (is_over()) {
      store_.set_verified();
    } else {
      push(~size_t{0});
    }
  }

 private:
  RandomFile file_;
  WeightStore store_;
  std::vector<size_t> order_;
  size_t next_ = 0;
};

std::unique_ptr<WhisperModel> begun(Arrival& arrival) {
  auto model = WhisperModel::create_on(arrival.store(), default_kernels());
  return EXPECT_TRUE(model.has_value()) ? std::move(model).value() : nullptr;
}

std::vector<float> copy(std::span<const float> values) { return {values.begin(), values.end()}; }

bool have_same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

/// Encodes while weights arrive and compares with a model that was loaded first. Returns the tensor after which the audio
/// states were there.
std::string encode_early(const WhisperDimensions& dimensions, Dtype dtype, Dtype vector_dtype,
                         bool is_reversed, size_t piece_bytes) {
  const WeightPacking& packing = default_kernels().packing;
  RandomModel random = random_model(dimensions, 5, dtype, vector_dtype, true, packing);
  const auto whole = make_model(random, default_kernels());
  fill_mel(*whole, 3);
  encode(*whole);
  const std::vector<uint32_t> tokens = random_tokens(5, dimensions.n_vocab);
  const std::vector<float> audio = copy(whole->encoder_output());
  const std::vector<float> logits = copy(whole->decode(tokens).value());

  Arrival arrival(random_file(dimensions, 5, dtype, vector_dtype), packing);
  if (is_reversed) arrival.reverse();
  const auto model = begun(arrival);
  if (model == nullptr) return {};
  fill_mel(*model, 3);
  model->begin_encode();
  EXPECT_TRUE(model->create_beside().error().code == ErrorCode::wrong_state);
  std::string heard_after;
  const auto run = [&] {
    do {
      if (!EXPECT_FALSE(model->encode_step())) return;
    } while (!model->needs_weights());
    EXPECT_FALSE(model->is_encoded());
    const auto refused = model->begin_decode(tokens);
    EXPECT_TRUE(!refused && refused.error().code == ErrorCode::wrong_state);
  };
  run();
  while (!arrival.is_over()) {
    arrival.push(piece_bytes, run);
    run();
    if (heard_after.empty() && !model->encoder_output().empty()) {
      heard_after = arrival.last_name();
      EXPECT_TRUE(have_same_bits(model->encoder_output(), audio));
    }
  }
  // All weights have arrived, but they are not verified yet.
  run();
  arrival.store().set_verified();
  while (!model->encode_step()) {
  }
  EXPECT_TRUE(model->is_encoded());
  EXPECT_TRUE(have_same_bits(model->encoder_output(), audio));
  EXPECT_TRUE(have_same_bits(model->decode(tokens).value(), logits));
  return heard_after;
}

constexpr const char* kLastOfEncoder = "encoder.ln_post.bias";

}  // namespace

SUSURRUS_TEST(early_encoder_waits_for_its_own_weights_alone_and_gives_the_same_bits) {
  for (const size_t piece_bytes : {size_t{1} << 12, size_t{1000}, ~size_t{0}}) {
    EXPECT_EQ(encode_early(kOddDimensions, Dtype::f32, Dtype::f32, false, piece_bytes),
              kLastOfEncoder);
    EXPECT_EQ(encode_early(kBlockDimensions, Dtype::q8_0, Dtype::f32, false, piece_bytes),
              kLastOfEncoder);
  }
  EXPECT_EQ(encode_early(kBlockDimensions, Dtype::f16, Dtype::f16, false, 100), kLastOfEncoder);
  for (const Dtype dtype : {Dtype::q4_0, Dtype::q4_1, Dtype::q5_0, Dtype::q5_1}) {
    EXPECT_EQ(encode_early(kBlockDimensions, dtype, Dtype::f32, false, 1000), kLastOfEncoder);
  }
  // The decoder comes first: the encoder's first weight is the last to arrive.
  EXPECT_EQ(encode_early(kBlockDimensions, Dtype::q8_0, Dtype::f32, true, 1000),
            "encoder.conv1.weight");
}

SUSURRUS_TEST(early_transcription_goes_on_when_weights_arrive_and_gives_the_same_text) {
  const std::vector<float> samples = noise(3 * 160 * kOddDimensions.n_audio_ctx, 6);
  for (const char* language : {"en", "auto"}) {
    const TranscribeOptions options = plain_options(language);
    const auto whole = small_model(5);
    const Outcome expected = transcribe(*whole, options, samples);
    Arrival arrival(random_file(kOddDimensions, 5), {});
    const auto model = begun(arrival);
    ASSERT_TRUE(model != nullptr);
    auto work = Transcriber::create(*model, options, samples.size());
    ASSERT_TRUE(work.has_value());
    size_t waits = 0;
    std::string text;
    for (;;) {
      const auto state = (*work)->step();
      ASSERT_TRUE(state.has_value());
      if (*state == StepResult::done) break;
      if (*state == StepResult::need_weights) {
        ASSERT_FALSE(arrival.store().is_verified());
        ++waits;
        arrival.push_more();
      }
      if (*state == StepResult::segment_ready || *state == StepResult::rejected_ready) {
        EXPECT_TRUE(arrival.store().is_verified());
        text += (*work)->take_segment().text;
      }
      if (*state != StepResult::need_audio) continue;
      const AudioRequest request = (*work)->audio_request();
      std::ranges::copy(std::span(samples).subspan(request.begin, request.end - request.begin),
                        (*work)->audio_window().begin());
    }
    EXPECT_GE(waits, arrival.count());
    EXPECT_FALSE(text.empty());
    EXPECT_TRUE((*work)->text() == expected.text);
  }
}

SUSURRUS_TEST(early_transcription_that_was_given_up_holds_up_no_other) {
  const std::vector<float> samples = noise(160 * kOddDimensions.n_audio_ctx, 6);
  Arrival arrival(random_file(kOddDimensions, 5), {});
  const auto model = begun(arrival);
  ASSERT_TRUE(model != nullptr);
  const auto is_stuck_before_audio = [&] {
    auto work = Transcriber::create(*model, plain_options("en"), samples.size());
    size_t request_count = 0;
    for (;;) {
      const auto state = (*work)->step();
      if (!EXPECT_TRUE(state.has_value())) return true;
      if (*state == StepResult::need_weights || *state == StepResult::done) break;
      // What it needs now is weights, before there is anything to take.
      EXPECT_TRUE(*state == StepResult::working || *state == StepResult::need_audio);
      if (*state != StepResult::need_audio) continue;
      ++request_count;
      const AudioRequest request = (*work)->audio_request();
      std::ranges::copy(std::span(samples).subspan(request.begin, request.end - request.begin),
                        (*work)->audio_window().begin());
    }
    return request_count < 2;
  };
  // Each scans and fills its first window.
  EXPECT_FALSE(is_stuck_before_audio());
  EXPECT_FALSE(is_stuck_before_audio());
  while (!arrival.store().is_verified()) arrival.push_more();
  // Everything has arrived, though nothing has checked since.
  Outcome outcome = transcribe(*model, plain_options("en"), samples);
  EXPECT_TRUE(outcome.is_done);
}

SUSURRUS_TEST(early_start_needs_everything_but_weights) {
  RandomFile late = random_file(kOddDimensions, 5);
  late.metadata.vocabulary_follows = true;
  WeightStore store(whisper_alone());
  EXPECT_FALSE(store.can_begin());
  ModelManifest manifest = late.manifest();
  ASSERT_TRUE(store.on_manifest(manifest).has_value());
  EXPECT_FALSE(store.can_begin());

  RandomFile file = random_file(kOddDimensions, 5);
  TensorInfo filterbank;
  filterbank.name = kFilterbankTensorName;
  filterbank.shape = Shape({kOddDimensions.n_mels, kFrequencyBins});
  filterbank.raw_byte_count = filterbank.stored_byte_count =
      *tensor_byte_count(Dtype::f32, filterbank.shape);
  file.infos.push_back(filterbank);
  WeightStore with_filterbank(whisper_alone());
  manifest = file.manifest();
  ASSERT_TRUE(with_filterbank.on_manifest(manifest).has_value());
  EXPECT_FALSE(with_filterbank.can_begin());
  ASSERT_TRUE(with_filterbank.place_tensor(filterbank).has_value());
  EXPECT_FALSE(with_filterbank.can_begin());
  with_filterbank.on_tensor_complete(filterbank);
  EXPECT_TRUE(with_filterbank.can_begin());

  // In two files: the place of every weight is known with the second manifest.
  RandomFile parts = random_file(kOddDimensions, 5);
  WeightStore in_parts(whisper_alone());
  manifest = parts.manifest();
  manifest.part_count = 2;
  manifest.tensors = std::span(parts.infos).first(10);
  ASSERT_TRUE(in_parts.on_manifest(manifest).has_value());
  EXPECT_FALSE(in_parts.can_begin());
  manifest.part = 1;
  manifest.tensors = std::span(parts.infos).subspan(10);
  ASSERT_TRUE(in_parts.on_manifest(manifest).has_value());
  EXPECT_TRUE(in_parts.can_begin());

  // A family that has not said that it can.
  EXPECT_FALSE(kDummyFamily.begins_early);
}

}  // namespace susurrus::testing::early_start_test
