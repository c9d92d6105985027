// The native engine behind a line protocol, so that the conformance suites run the same expectations on it as on the
// WebAssembly engines: one JSON request per line on stdin, one JSON answer per line on stdout. Long float arrays travel
// as files of raw little-endian f32.
//
//   {"command":"load","path":"model.apr"}
//   {"command":"info"}
//   {"command":"log_mel","samples":"in.f32","mode":"window"|"whole","output":"out.f32"}   (n_mels, frames)
//   {"command":"encode","mel":"in.f32","output":"out.f32"}
//   {"command":"logits","tokens":[...],"output":"out.f32"}
//   {"command":"decode","samples":"in.f32","language":"en","timestamps":true,"prompt":[...]}
//   {"command":"transcribe","samples":"in.f32","language":"auto","timestamps":true,"condition_on_previous_text":true,
//    "no_speech_threshold":0.6,"logprob_threshold":-1}
//   {"command":"tokenize","text":"..."}   {"command":"detokenize","tokens":[...]}   {"command":"special"}
//
// An answer is {"ok":true, ...} or {"ok":false,"code":...,"reason":...,"subject":...,"got":...}.
#include <algorithm>
#include <iostream>

#include "base/json_document.h"
#include "files.h"
#include "json_line.h"
#include "session/transcriber.h"
#include "text/non_speech_tokens.h"

namespace susurrus::driver {
namespace {

class Driver {
 public:
  Status handle(JsonValue request, JsonLine& answer) {
    const std::string_view command = request["command"].text().value_or("");
    if (command == "load") return load(request);
    if (!model_) return make_error(ErrorCode::wrong_state, ErrorReason::state).about("load first");
    if (command == "info") return info(answer);
    if (command == "log_mel") return log_mel(request, answer);
    if (command == "encode") return encode(request);
    if (command == "logits") return logits(request);
    if (command == "decode") return decode(request, answer);
    if (command == "transcribe") return transcribe(request, answer);
    if (command == "tokenize") return tokenize(request, answer);
    if (command == "detokenize") return detokenize(request, answer);
    if (command == "special") return special(answer);
    return make_error(ErrorCode::invalid_argument, ErrorReason::option)
        .about("command")
        .having(command);
  }

 private:
  static std::string text(JsonValue request, const char* key) {
    return std::string(request[key].text().value_or(""));
  }
  static std::vector<uint32_t> ids(JsonValue list) {
    std::vector<uint32_t> result;
    for (JsonValue item : list.items()) {
      result.push_back(static_cast<uint32_t>(item.unsigned_integer().value_or(0)));
    }
    return result;
  }
  static DecodeOptions decode_options(JsonValue request) {
    DecodeOptions options;
    if (auto language = request["language"].text()) options.language = *language;
    options.timestamps = request["timestamps"].boolean().value_or(true);
    return options;
  }

  Status load(JsonValue request) {
    model_.reset();
    encoded_samples_.clear();
    SUSURRUS_ASSIGN(model_, load_model(text(request, "path")));
    return ok_status();
  }

  Status info(JsonLine& answer) {
    const WhisperDimensions& d = model_->dimensions();
    const MemoryPlan plan = model_->memory_plan();
    answer.field("variant", variant_name(model_->kernels().variant))
        .field("n_mels", d.n_mels)
        .field("n_audio_ctx", d.n_audio_ctx)
        .field("n_audio_state", d.n_audio_state)
        .field("n_text_ctx", d.n_text_ctx)
        .field("n_vocab", d.n_vocab)
        .field("multilingual", model_->special_tokens().is_multilingual)
        .field("weight_bytes", plan.weight_bytes)
        .field("kv_cache_bytes", plan.kv_cache_bytes)
        .field("activation_bytes", plan.activation_bytes);
    return ok_status();
  }

  /// Frames of one window (padded or cut) or of the whole recording with its zeros, normalised, time-major.
  std::vector<float> compute_mel(std::vector<float>& samples, bool whole) {
    const uint64_t window_samples = uint64_t{model_->window_frames()} * kHopSamples;
    uint64_t frames = model_->window_frames();
    if (whole) {
      frames += samples.size() / kHopSamples;
    } else {
      samples.resize(std::min<uint64_t>(samples.size(), window_samples));
    }
    const uint64_t zeros = whole ? window_samples : window_samples - samples.size();
    std::vector<float> mel(frames * model_->dimensions().n_mels);
    const float maximum =
        model_->log_mel().log_frames(samples, 0, samples.size(), zeros, 0, frames, mel.data());
    LogMel::normalise(mel, maximum);
    return mel;
  }

  Status log_mel(JsonValue request, JsonLine& answer) {
    SUSURRUS_ASSIGN(std::vector<float> samples, read_floats(text(request, "samples")));
    std::vector<float> mel = compute_mel(samples, text(request, "mode") == "whole");
    const size_t n_mels = model_->dimensions().n_mels;
    const size_t frames = mel.size() / n_mels;
    answer.field("frames", uint64_t{frames});
    std::vector<float> rows(mel.size());
    for (size_t t = 0; t < frames; ++t) {
      for (size_t m = 0; m < n_mels; ++m) rows[m * frames + t] = mel[t * n_mels + m];
    }
    return write_floats(text(request, "output"), rows);
  }

  Status encode(JsonValue request) {
    SUSURRUS_ASSIGN(std::vector<float> rows, read_floats(text(request, "mel")));
    std::span<float> window = model_->mel_window();
    if (rows.size() != window.size()) {
      return make_error(ErrorCode::invalid_argument, ErrorReason::option)
          .about("mel")
          .having(rows.size());
    }
    const size_t n_mels = model_->dimensions().n_mels;
    const size_t frames = model_->window_frames();
    for (size_t t = 0; t < frames; ++t) {
      for (size_t m = 0; m < n_mels; ++m) window[t * n_mels + m] = rows[m * frames + t];
    }
    encoded_samples_.clear();
    model_->begin_encode();
    while (!model_->encode_step()) {
    }
    return write_floats(text(request, "output"), model_->encoder_output());
  }

  Status logits(JsonValue request) {
    model_->reset_decoder();
    SUSURRUS_ASSIGN(std::span<float> values, model_->decode(ids(request["tokens"])));
    return write_floats(text(request, "output"), values);
  }

  Status decode(JsonValue request, JsonLine& answer) {
    const std::string path = text(request, "samples");
    // The reference kernels take a second per window: several cases on the same samples share it.
    auto encoding = WindowDecoder::Encoding::done;
    if (!model_->is_encoded() || path != encoded_samples_) {
      SUSURRUS_ASSIGN(std::vector<float> samples, read_floats(path));
      std::vector<float> mel = compute_mel(samples, false);
      std::copy(mel.begin(), mel.end(), model_->mel_window().begin());
      encoding = WindowDecoder::Encoding::needed;
      encoded_samples_ = path;
    }
    SUSURRUS_ASSIGN(auto decoder, WindowDecoder::create(*model_, decode_options(request),
                                                        ids(request["prompt"]), encoding));
    for (bool is_done = false; !is_done;) {
      SUSURRUS_ASSIGN(is_done, decoder->step());
    }
    const WindowResult& result = decoder->result();
    answer.field("tokens", std::span<const uint32_t>(result.tokens))
        .field("text", std::string_view(result.text))
        .field("language", result.language.view())
        .field("avgLogprob", result.avg_logprob)
        .field("noSpeechProb", result.no_speech_prob)
        .field("compressionRatio", result.compression_ratio);
    return ok_status();
  }

  Status transcribe(JsonValue request, JsonLine& answer) {
    SUSURRUS_ASSIGN(std::vector<float> samples, read_floats(text(request, "samples")));
    TranscribeOptions options;
    options.decode = decode_options(request);
    options.condition_on_previous_text =
        request["condition_on_previous_text"].boolean().value_or(true);
    options.no_speech_threshold = static_cast<float>(
        request["no_speech_threshold"].number().value_or(options.no_speech_threshold));
    options.logprob_threshold = static_cast<float>(
        request["logprob_threshold"].number().value_or(options.logprob_threshold));
    encoded_samples_.clear();
    SUSURRUS_ASSIGN(auto transcriber, Transcriber::create(*model_, options, samples.size()));
    answer.key("segments").begin_array();
    for (;;) {
      SUSURRUS_ASSIGN(StepResult state, transcriber->step());
      if (state == StepResult::done) break;
      if (state == StepResult::need_audio) {
        const AudioRequest range = transcriber->audio_request();
        std::copy(samples.begin() + static_cast<ptrdiff_t>(range.begin),
                  samples.begin() + static_cast<ptrdiff_t>(range.end),
                  transcriber->audio_window().begin());
      }
      if (state == StepResult::segment_ready) write(transcriber->take_segment(), answer);
    }
    answer.end_array();
    answer.field("text", std::string_view(transcriber->text()))
        .field("language", transcriber->language());
    return ok_status();
  }

  static void write(const Segment& segment, JsonLine& answer) {
    answer.begin_object()
        .field("id", segment.id)
        .field("seek", segment.seek)
        .field("start", segment.start)
        .field("end", segment.end)
        .field("text", std::string_view(segment.text))
        .field("tokens", std::span<const uint32_t>(segment.tokens))
        .field("temperature", segment.temperature)
        .field("avgLogprob", segment.avg_logprob)
        .field("compressionRatio", segment.compression_ratio)
        .field("noSpeechProb", segment.no_speech_prob)
        .end_object();
  }

  Status tokenize(JsonValue request, JsonLine& answer) {
    const std::vector<uint32_t> tokens =
        model_->tokenizer().encode(request["text"].text().value_or(""));
    answer.field("tokens", std::span<const uint32_t>(tokens));
    return ok_status();
  }

  Status detokenize(JsonValue request, JsonLine& answer) {
    const std::vector<uint32_t> tokens = ids(request["tokens"]);
    const std::string plain = model_->tokenizer().decode(tokens);
    const std::string timed = model_->tokenizer().decode_with_timestamps(tokens);
    answer.field("text", std::string_view(plain))
        .field("textWithTimestamps", std::string_view(timed));
    return ok_status();
  }

  Status special(JsonLine& answer) {
    const SpecialTokens& tokens = model_->special_tokens();
    answer.field("endOfText", tokens.end_of_text)
        .field("startOfTranscript", tokens.start_of_transcript)
        .field("translate", tokens.translate)
        .field("transcribe", tokens.transcribe)
        .field("startOfLm", tokens.start_of_lm)
        .field("startOfPrevious", tokens.start_of_previous)
        .field("noSpeech", tokens.no_speech)
        .field("noTimestamps", tokens.no_timestamps)
        .field("timestampBegin", tokens.timestamp_begin)
        .field("timestampCount", tokens.timestamp_count)
        .field("multilingual", tokens.is_multilingual);
    answer.key("languages").begin_object();
    for (const auto& language : tokens.languages)
      answer.field(language.code.view(), language.token);
    answer.end_object();
    const std::vector<uint32_t> non_speech = non_speech_tokens(model_->tokenizer());
    answer.field("nonSpeech", std::span<const uint32_t>(non_speech));
    return ok_status();
  }

  std::unique_ptr<WhisperModel> model_;
  std::string encoded_samples_;  // what the model's encoding is of, after "decode"
};

std::string answer_line(Driver& driver, const std::string& line) {
  JsonLine answer;
  answer.begin_object().field("ok", true);
  auto request = JsonDocument::parse(line, {0, ErrorReason::option, "request"});
  Status status = request ? driver.handle(request->root(), answer) : Status(request.error());
  if (status) return answer.end_object().text();

  const Error& error = status.error();
  JsonLine failure;
  failure.begin_object()
      .field("ok", false)
      .field("code", error_code_name(error.code))
      .field("reason", error_reason_name(error.reason))
      .field("subject", error.subject.view())
      .field("expected", error.expected.view())
      .field("got", error.got.view())
      .end_object();
  return failure.text();
}

}  // namespace
}  // namespace susurrus::driver

int main() {
  susurrus::driver::Driver driver;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::cout << susurrus::driver::answer_line(driver, line) << '\n' << std::flush;
  }
}
