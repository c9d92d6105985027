#include "session/results_json.h"

#include <cmath>

#include "base/json_writer.h"

namespace susurrus {
namespace {

void write(std::span<const Attempt> attempts, JsonWriter& json) {
  json.key("attempts").begin_array();
  for (const Attempt& attempt : attempts) {
    json.begin_object()
        .field("temperature", attempt.temperature)
        .field("avgLogprob", attempt.avg_logprob)
        .field("noSpeechProb", attempt.no_speech_prob)
        .field("compressionRatio", attempt.compression_ratio)
        .field("encoderContext", attempt.encoder_context)
        .field("decision", decision_name(attempt.decision))
        .field("text", std::string_view(attempt.text))
        .end_object();
  }
  json.end_array();
}

void write(std::span<const Word> words, JsonWriter& json) {
  json.begin_array();
  for (const Word& word : words) {
    json.begin_object()
        .field("word", std::string_view(word.word))
        .field("start", word.start)
        .field("end", word.end)
        .field("probability", word.probability)
        .end_object();
  }
  json.end_array();
}

}  // namespace

std::string to_json(const Segment& segment, bool has_words) {
  JsonWriter json;
  json.begin_object()
      .field("id", segment.id)
      .field("seek", segment.seek)
      .field("start", segment.start)
      .field("end", segment.end)
      .field("text", std::string_view(segment.text))
      .field("tokens", std::span<const uint32_t>(segment.tokens))
      .field("tokenProbabilities", std::span<const float>(segment.token_probabilities))
      .field("temperature", segment.temperature)
      .field("avgLogprob", segment.avg_logprob)
      .field("compressionRatio", segment.compression_ratio)
      .field("noSpeechProb", segment.no_speech_prob)
      .field("encoderContext", segment.encoder_context)
      .field("language", segment.language.view())
      .field("decision", decision_name(segment.decision));
  write(segment.attempts, json);
  if (has_words) write(segment.words, json.key("words"));
  return std::move(json.end_object()).text();
}

std::string to_json(std::span<const LiveEvent> events) {
  constexpr const char* kTypes[] = {"partial", "final", "silence", "language"};
  JsonWriter json;
  json.begin_array();
  for (const LiveEvent& event : events) {
    json.begin_object()
        .field("type", kTypes[static_cast<size_t>(event.type)])
        .field("id", event.segment.id)
        .field("time", event.time);
    if (event.type == LiveEvent::Type::language) {
      json.field("language", event.segment.language.view()).field("probability", event.probability);
    } else if (event.type != LiveEvent::Type::silence) {
      json.field("start", event.segment.start)
          .field("end", event.segment.end)
          .field("text", std::string_view(event.segment.text));
      write(event.segment.words, json.key("words"));
      const bool is_final = event.type == LiveEvent::Type::final;
      json.field("committed", uint64_t{is_final ? event.segment.words.size() : event.committed});
      if (!event.segment.language.empty()) json.field("language", event.segment.language.view());
      json.key("tokens").begin_array();
      for (const LiveToken& token : event.tokens) {
        json.begin_object()
            .field("id", token.id)
            .field("text", std::string_view(token.text))
            .field("time", token.time)
            .field("score", token.score)
            .field("beginsWord", token.begins_word)
            .field("endsSentence", token.ends_sentence)
            .end_object();
      }
      json.end_array();
    }
    json.end_object();
  }
  return std::move(json.end_array()).text();
}

std::string to_json(const WindowAttempts& window, const std::vector<Word>* words) {
  const WindowResult& result = window.result();
  const Decision decision = window.is_silence() ? Decision::dropped_no_speech : window.decision();
  std::vector<float> probabilities;
  for (float logprob : result.token_logprobs) probabilities.push_back(std::exp(logprob));
  JsonWriter json;
  json.begin_object()
      .field("tokens", std::span<const uint32_t>(result.tokens))
      .field("tokenProbabilities", std::span<const float>(probabilities))
      .field("text", std::string_view(result.text))
      .field("temperature", result.temperature)
      .field("avgLogprob", result.avg_logprob)
      .field("noSpeechProb", result.no_speech_prob)
      .field("compressionRatio", result.compression_ratio)
      .field("encoderContext", result.encoder_context)
      .field("language", result.language.view())
      .field("decision", decision_name(decision));
  write(window.attempts(), json);
  if (words != nullptr) write(*words, json.key("words"));
  return std::move(json.end_object()).text();
}

std::string to_json(std::span<const Word> words) {
  JsonWriter json;
  write(words, json);
  return std::move(json).text();
}

std::string to_json(std::span<const CandidateScore> scores) {
  JsonWriter json;
  json.begin_array();
  for (const CandidateScore& score : scores) {
    json.begin_object()
        .field("text", std::string_view(score.text))
        .field("tokens", std::span<const uint32_t>(score.tokens))
        .field("logprob", score.logprob)
        .field("avgLogprob", score.avg_logprob)
        .end_object();
  }
  return std::move(json.end_array()).text();
}

std::string to_json(std::span<const LanguageProbability> languages, const SpecialTokens& special) {
  JsonWriter json;
  json.begin_array();
  for (const LanguageProbability& each : languages) {
    json.begin_object()
        .field("language", special.language_code(each.token))
        .field("probability", each.probability)
        .end_object();
  }
  return std::move(json.end_array()).text();
}

}  // namespace susurrus
