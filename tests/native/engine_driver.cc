// The native engine behind a line protocol, so that the conformance suites run the same expectations on it as on the
// WebAssembly engines: one JSON request per line on stdin, one JSON answer per line on stdout. Long float arrays travel
// as files of raw little-endian f32.
//
//   {"command":"load","path":"model.apr"}
//   {"command":"info"}
//   {"command":"log_mel","samples":"in.f32","mode":"window"|"whole","output":"out.f32"}   (n_mels, frames)
//   {"command":"encode","mel":"in.f32","output":"out.f32"}
//   {"command":"logits","tokens":[...],"output":"out.f32"}
//   {"command":"decode","samples":"in.f32","options":{...}}              → "result":{...} as decode() returns
//   {"command":"transcribe","samples":"in.f32","options":{...}}          → "segments", "rejected", "text", "language"
//   {"command":"score","samples":"in.f32","candidates":[...],"options":{...}}   → "scores":[{text, logprob, ...}]
//   {"command":"align","samples":"in.f32","text":"...","options":{...}}  → "words":[{word, start, end, probability}]
//   {"command":"align","samples":"in.f32","tokens":[...],"frames":3000,"options":{...}}   → the same, with the tokens of
//        each word, before punctuation is joined and words are shortened, and what alignment_commands.h adds
//   {"command":"detect_language","samples":"in.f32","options":{...}}     → "languages":[{language, probability}]
//   {"command":"tokenize","text":"..."}   {"command":"detokenize","tokens":[...]}   {"command":"special"}
//   {"command":"split_words","tokens":[...],"language":"en"}             → "words":[{word, tokens}]
//
// Options are those of the JavaScript API (web/src/api_types.ts). An answer is {"ok":true, ...} or
// {"ok":false,"code":...,"reason":...,"subject":...,"expected":...,"got":...}.
#include <algorithm>
#include <iostream>

#include "alignment_commands.h"
#include "base/json_document.h"
#include "base/json_writer.h"
#include "files.h"
#include "session/candidate_scorer.h"
#include "session/language_detector.h"
#include "session/options_json.h"
#include "session/prompt.h"
#include "session/results_json.h"
#include "session/transcriber.h"
#include "session/window_attempts.h"
#include "session/window_words.h"
#include "session/word_aligner.h"
#include "text/non_speech_tokens.h"

namespace susurrus::driver {
namespace {

class Driver {
 public:
  Status handle(JsonValue request, JsonWriter& answer) {
    const std::string_view command = request["command"].text().value_or("");
    if (command == "load") return load(request);
    if (!model_)
      return make_error(ErrorCode::wrong_state, ErrorReason::state).with_subject("load first");
    if (command == "info") return info(answer);
    if (command == "log_mel") return log_mel(request, answer);
    if (command == "encode") return encode(request);
    if (command == "logits") return logits(request);
    if (command == "decode") return decode(request, answer);
    if (command == "transcribe") return transcribe(request, answer);
    if (command == "score") return score(request, answer);
    if (command == "align") return align(request, answer);
    if (command == "detect_language") return detect_language(request, answer);
    if (command == "tokenize") return tokenize(request, answer);
    if (command == "detokenize") return detokenize(request, answer);
    if (command == "special") return special(answer);
    if (command == "split_words") {
      split_words(request, model_->tokenizer(), answer);
      return ok_status();
    }
    return make_error(ErrorCode::invalid_argument, ErrorReason::option)
        .with_subject("command")
        .with_got(command);
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
  Status load(JsonValue request) {
    model_.reset();
    encoded_samples_.clear();
    SUSURRUS_ASSIGN_OR_RETURN(model_, load_model(text(request, "path")));
    return ok_status();
  }

  Status info(JsonWriter& answer) {
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

  /// Frames of one window (padded or cut to `frames`) or of the whole recording with its zeros, normalised, time-major.
  std::vector<float> compute_mel(std::vector<float>& samples, uint64_t frames, bool whole) {
    const uint64_t window_samples = frames * kHopSamples;
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

  Status log_mel(JsonValue request, JsonWriter& answer) {
    SUSURRUS_ASSIGN_OR_RETURN(std::vector<float> samples, read_floats(text(request, "samples")));
    std::vector<float> mel =
        compute_mel(samples, model_->window_frames(), text(request, "mode") == "whole");
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
    SUSURRUS_ASSIGN_OR_RETURN(std::vector<float> rows, read_floats(text(request, "mel")));
    std::span<float> window = model_->mel_window();
    if (rows.size() != window.size()) {
      return make_error(ErrorCode::invalid_argument, ErrorReason::option)
          .with_subject("mel")
          .with_got(rows.size());
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
    SUSURRUS_ASSIGN_OR_RETURN(std::span<float> values, model_->decode(ids(request["tokens"])));
    return write_floats(text(request, "output"), values);
  }

  /// Runs what is driven in steps to its end.
  template <typename Work>
  static Status finish(Work& work) {
    for (bool is_done = false; !is_done;) {
      SUSURRUS_ASSIGN_OR_RETURN(is_done, work.step());
    }
    return ok_status();
  }

  /// Fills mel_window() with as many of a request's samples as `options` allow; returns the mel
  /// frames with content.
  Result<uint64_t> fill_window(JsonValue request, DecodeOptions& options) {
    SUSURRUS_ASSIGN_OR_RETURN(std::vector<float> samples, read_floats(text(request, "samples")));
    const uint64_t frames = options.encoder_context.window_frames(*model_);
    std::vector<float> mel = compute_mel(samples, frames, false);
    std::copy(mel.begin(), mel.end(), model_->mel_window().begin());
    encoded_samples_.clear();
    return fit_encoder_context(*model_, options, samples.size() / kHopSamples);
  }

  Status decode(JsonValue request, JsonWriter& answer) {
    SUSURRUS_ASSIGN_OR_RETURN(TranscribeOptions options,
                              parse_window_options(request["options"], model_->tokenizer()));
    const std::string path = text(request, "samples");
    // The reference kernels take a second per window: several cases on the same samples share it.
    auto encoding = WindowDecoder::Encoding::done;
    const EncoderContext& context = options.decode.encoder_context;
    const bool is_full = !context.is_automatic && context.positions == 0;
    if (!is_full || !model_->is_encoded() || path != encoded_samples_) {
      SUSURRUS_ASSIGN_OR_RETURN(content_frames_, fill_window(request, options.decode));
      encoding = WindowDecoder::Encoding::needed;
    }
    if (!options.is_openai_compatible) options.decode.content_frames = content_frames_;
    SUSURRUS_ASSIGN_OR_RETURN(
        auto window, WindowAttempts::create(*model_, options.decode, options.fallback, encoding));
    SUSURRUS_RETURN_IF_ERROR(finish(*window));
    if (is_full) encoded_samples_ = path;
    if (!options.word_timestamps) {
      answer.key("result").json(to_json(*window));
      return ok_status();
    }
    SUSURRUS_ASSIGN_OR_RETURN(
        auto words, WindowWords::create(*model_, options, window->result(), content_frames_));
    SUSURRUS_RETURN_IF_ERROR(finish(*words));
    answer.key("result").json(to_json(*window, &words->words()));
    return ok_status();
  }

  Status transcribe(JsonValue request, JsonWriter& answer) {
    SUSURRUS_ASSIGN_OR_RETURN(TranscribeOptions options,
                              parse_transcribe_options(request["options"], model_->tokenizer()));
    SUSURRUS_ASSIGN_OR_RETURN(std::vector<float> samples, read_floats(text(request, "samples")));
    encoded_samples_.clear();
    SUSURRUS_ASSIGN_OR_RETURN(auto transcriber,
                              Transcriber::create(*model_, options, samples.size()));
    JsonWriter segments;
    JsonWriter rejected;
    segments.begin_array();
    rejected.begin_array();
    for (;;) {
      SUSURRUS_ASSIGN_OR_RETURN(StepResult state, transcriber->step());
      if (state == StepResult::done) break;
      if (state == StepResult::need_audio) {
        const AudioRequest range = transcriber->audio_request();
        std::copy(samples.begin() + static_cast<ptrdiff_t>(range.begin),
                  samples.begin() + static_cast<ptrdiff_t>(range.end),
                  transcriber->audio_window().begin());
      }
      if (state != StepResult::segment_ready && state != StepResult::rejected_ready) continue;
      JsonWriter& list = state == StepResult::segment_ready ? segments : rejected;
      list.json(to_json(transcriber->take_segment(), options.word_timestamps));
    }
    answer.key("segments").json(segments.end_array().text());
    answer.key("rejected").json(rejected.end_array().text());
    answer.field("text", std::string_view(transcriber->text()))
        .field("language", transcriber->language());
    return ok_status();
  }

  Status score(JsonValue request, JsonWriter& answer) {
    SUSURRUS_ASSIGN_OR_RETURN(TranscribeOptions options,
                              parse_window_options(request["options"], model_->tokenizer()));
    std::vector<std::string> candidates;
    for (JsonValue item : request["candidates"].items()) {
      candidates.emplace_back(item.text().value_or(""));
    }
    SUSURRUS_RETURN_IF_ERROR(fill_window(request, options.decode));
    SUSURRUS_ASSIGN_OR_RETURN(
        auto scorer, CandidateScorer::create(*model_, options.decode, std::move(candidates)));
    SUSURRUS_RETURN_IF_ERROR(finish(*scorer));
    answer.key("scores").json(to_json(scorer->scores()));
    return ok_status();
  }

  Status align(JsonValue request, JsonWriter& answer) {
    SUSURRUS_ASSIGN_OR_RETURN(TranscribeOptions options,
                              parse_window_options(request["options"], model_->tokenizer()));
    if (request["tokens"].exists()) return align_tokens(request, options, answer);
    SUSURRUS_ASSIGN_OR_RETURN(uint64_t frames, fill_window(request, options.decode));
    SUSURRUS_ASSIGN_OR_RETURN(auto words,
                              WindowWords::create(*model_, options, text(request, "text"), frames));
    SUSURRUS_RETURN_IF_ERROR(finish(*words));
    answer.key("words").json(to_json(words->words()));
    return ok_status();
  }

  Status align_tokens(JsonValue request, const TranscribeOptions& options, JsonWriter& answer) {
    SUSURRUS_ASSIGN_OR_RETURN(FixedString<16> language, fixed_language(*model_, options.decode));
    const std::string path = text(request, "samples");
    if (!model_->is_encoded() || path != encoded_samples_) {
      DecodeOptions whole;
      SUSURRUS_ASSIGN_OR_RETURN(content_frames_, fill_window(request, whole));
      model_->begin_encode();
      while (!model_->encode_step()) {
      }
      encoded_samples_ = path;
    }
    const uint64_t frames = request["frames"].unsigned_integer().value_or(content_frames_);
    SUSURRUS_ASSIGN_OR_RETURN(auto aligner,
                              WordAligner::create(*model_, language.view(), options.decode.task,
                                                  ids(request["tokens"]), frames));
    SUSURRUS_RETURN_IF_ERROR(finish(*aligner));
    answer.key("words").begin_array();
    for (const WordTiming& word : aligner->words()) {
      answer.begin_object()
          .field("word", std::string_view(word.word))
          .field("tokens", std::span<const uint32_t>(word.tokens))
          .field("start", word.start)
          .field("end", word.end)
          .field("probability", word.probability)
          .end_object();
    }
    answer.end_array();
    describe_alignment(request, *aligner, answer);
    return ok_status();
  }

  Status detect_language(JsonValue request, JsonWriter& answer) {
    SUSURRUS_ASSIGN_OR_RETURN(TranscribeOptions options,
                              parse_window_options(request["options"], model_->tokenizer()));
    SUSURRUS_RETURN_IF_ERROR(fill_window(request, options.decode));
    SUSURRUS_RETURN_IF_ERROR(begin_encode(*model_, options.decode.encoder_context));
    SUSURRUS_ASSIGN_OR_RETURN(auto allowed, allowed_languages(*model_, options.decode));
    LanguageDetector detector(*model_, std::move(allowed), options.decode.encoder_context);
    SUSURRUS_RETURN_IF_ERROR(finish(detector));
    answer.key("languages").json(to_json(detector.probabilities(), model_->special_tokens()));
    return ok_status();
  }

  Status tokenize(JsonValue request, JsonWriter& answer) {
    const std::vector<uint32_t> tokens =
        model_->tokenizer().encode(request["text"].text().value_or(""));
    answer.field("tokens", std::span<const uint32_t>(tokens));
    return ok_status();
  }

  Status detokenize(JsonValue request, JsonWriter& answer) {
    const std::vector<uint32_t> tokens = ids(request["tokens"]);
    const std::string plain = model_->tokenizer().decode(tokens);
    const std::string timed = model_->tokenizer().decode_with_timestamps(tokens);
    answer.field("text", std::string_view(plain))
        .field("textWithTimestamps", std::string_view(timed));
    return ok_status();
  }

  Status special(JsonWriter& answer) {
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
  uint64_t content_frames_ = 0;  // of these samples
};

std::string answer_line(Driver& driver, const std::string& line) {
  JsonWriter answer;
  answer.begin_object().field("ok", true);
  auto request = JsonDocument::parse(line, {0, ErrorReason::option, "request"});
  Status status = request ? driver.handle(request->root(), answer) : Status(request.error());
  if (status) return answer.end_object().text();

  const Error& error = status.error();
  JsonWriter failure;
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
