#include "audio/audio_converter.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace susurrus {
namespace {

constexpr size_t kPieceSamples = 1024;

Error bad_argument(const char* subject, const char* expected, uint64_t got) {
  return make_error(ErrorCode::invalid_argument, ErrorReason::bad_audio)
      .with_subject(subject)
      .with_expected(expected)
      .with_got(got);
}

/// Numbers only; returns how many samples were not.
uint64_t make_finite(std::span<float> samples) {
  uint64_t count = 0;
  for (float& sample : samples) {
    if (std::isfinite(sample)) continue;
    sample = std::isnan(sample) ? 0.0f : std::copysign(1.0f, sample);
    ++count;
  }
  return count;
}

uint64_t clip(std::span<float> samples) {
  uint64_t count = 0;
  for (float& sample : samples) {
    const float clipped = std::clamp(sample, -1.0f, 1.0f);
    if (clipped != sample) ++count;
    sample = clipped;
  }
  return count;
}

}  // namespace

Result<AudioConverter> AudioConverter::from_samples(uint32_t sample_rate, uint32_t channels) {
  if (sample_rate < kMinSourceRate || sample_rate > kMaxSourceRate) {
    return bad_argument("sampleRate", "1000 to 768000", sample_rate);
  }
  if (channels == 0 || channels > 0xffff) {
    return bad_argument("channels", "1 to 65535", channels);
  }
  AudioConverter converter;
  SUSURRUS_RETURN_IF_ERROR(converter.start(sample_rate, channels, 0));
  return converter;
}

AudioConverter AudioConverter::from_wav() {
  AudioConverter converter;
  converter.wav_.emplace();
  return converter;
}

Status AudioConverter::start(uint32_t sample_rate, uint32_t channels, uint32_t channel_mask) {
  SUSURRUS_ASSIGN_OR_RETURN(auto resampler, Resampler::create(sample_rate));
  resampler_.emplace(std::move(resampler));
  mix_ = ChannelMix(channels, channel_mask);
  sample_rate_ = sample_rate;
  channels_ = channels;
  return ok_status();
}

Status AudioConverter::check_open(bool wants_bytes) const {
  if (state_ == State::failed) {
    return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state)
        .with_subject("audio converter");
  }
  if (state_ == State::finished || wants_bytes != wav_.has_value()) {
    return make_error(ErrorCode::wrong_state, ErrorReason::state)
        .with_subject("audio converter")
        .with_expected(state_ == State::finished ? "nothing after the end"
                       : wants_bytes             ? "samples"
                                                 : "bytes of a WAV file");
  }
  return ok_status();
}

Status AudioConverter::remember(Status status) {
  if (!status) state_ = State::failed;
  return status;
}

Status AudioConverter::push_bytes(ByteSpan bytes) {
  SUSURRUS_RETURN_IF_ERROR(check_open(true));
  return remember(take_bytes(bytes));
}

Status AudioConverter::push_samples(std::span<const float> interleaved) {
  SUSURRUS_RETURN_IF_ERROR(check_open(false));
  while (!interleaved.empty()) {
    float piece[kPieceSamples];
    const size_t count = std::min(interleaved.size(), kPieceSamples);
    std::memcpy(piece, interleaved.data(), count * sizeof(float));
    interleaved = interleaved.subspan(count);
    SUSURRUS_RETURN_IF_ERROR(remember(take_samples(std::span(piece, count))));
  }
  return ok_status();
}

Status AudioConverter::finish() {
  SUSURRUS_RETURN_IF_ERROR(check_open(wav_.has_value()));
  SUSURRUS_RETURN_IF_ERROR(remember(finish_parts()));
  state_ = State::finished;
  return ok_status();
}

Status AudioConverter::take_bytes(ByteSpan bytes) {
  while (!bytes.empty()) {
    float piece[kPieceSamples];
    SUSURRUS_ASSIGN_OR_RETURN(const size_t count, wav_->read(bytes, piece));
    if (wav_->has_format() && !resampler_) {
      const WavFormat& format = wav_->format();
      SUSURRUS_RETURN_IF_ERROR(start(format.sample_rate, format.channels, format.channel_mask));
    }
    SUSURRUS_RETURN_IF_ERROR(take_samples(std::span(piece, count)));
  }
  return ok_status();
}

Status AudioConverter::take_samples(std::span<float> interleaved) {
  if (interleaved.empty()) return ok_status();
  warnings_.non_finite_samples += make_finite(interleaved);
  float mono[kPieceSamples];
  const size_t frames = mix_.mix(interleaved, mono);
  frames_in_ += frames;
  SUSURRUS_RETURN_IF_ERROR(reserve(resampler_->output_bound(frames)));
  accept_output(resampler_->push(std::span(mono, frames), output_.floats().data() + output_end_));
  return ok_status();
}

Status AudioConverter::finish_parts() {
  if (wav_) {
    SUSURRUS_RETURN_IF_ERROR(wav_->finish());
    warnings_.truncated = wav_->is_truncated();
  }
  if (mix_.is_within_frame()) warnings_.truncated = true;
  if (!resampler_) return ok_status();
  SUSURRUS_RETURN_IF_ERROR(reserve(resampler_->output_bound(0)));
  accept_output(resampler_->finish(output_.floats().data() + output_end_));
  return ok_status();
}

/// Room for `sample_count` more after what is not consumed.
Status AudioConverter::reserve(size_t sample_count) {
  if (output_.floats().size() - output_end_ >= sample_count) return ok_status();
  const size_t held = output_end_ - output_begin_;
  const float* from = output_.floats().data() + output_begin_;
  const uint64_t needed = uint64_t{held} + sample_count;
  // Moving what is held pays only when it frees as much as it moves.
  if (needed <= output_.floats().size() && held <= output_begin_) {
    if (held > 0) std::memmove(output_.floats().data(), from, held * sizeof(float));
  } else {
    const uint64_t capacity = std::max<uint64_t>(needed * 3 / 2, 2 * kPieceSamples);
    SUSURRUS_ASSIGN_OR_RETURN(auto larger,
                              AlignedBuffer::allocate(capacity * sizeof(float), "audio"));
    if (held > 0) std::memcpy(larger.data(), from, held * sizeof(float));
    output_ = std::move(larger);
  }
  output_begin_ = 0;
  output_end_ = held;
  return ok_status();
}

void AudioConverter::accept_output(size_t sample_count) {
  if (wav_) {
    warnings_.clipped_samples +=
        clip(std::span(output_.floats().data() + output_end_, sample_count));
  }
  output_end_ += sample_count;
  output_samples_ += sample_count;
}

std::span<const float> AudioConverter::output() const {
  return output_.floats().subspan(output_begin_, output_end_ - output_begin_);
}

void AudioConverter::consume(size_t sample_count) {
  SUSURRUS_CHECK(sample_count <= output_end_ - output_begin_);
  output_begin_ += sample_count;
}

}  // namespace susurrus
