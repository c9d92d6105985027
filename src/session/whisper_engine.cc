// Whisper behind the interface that all families share.
#include "families/whisper/whisper_family.h"
#include "session/live/whisper_live.h"
#include "session/options_json.h"
#include "session/transcriber.h"
#include "session/whisper_model.h"

namespace susurrus {

const char* WhisperModel::family_name() const { return kWhisperFamily.name; }

WhisperModel* WhisperModel::of(Engine* engine) {
  const bool is_whisper =
      engine != nullptr && std::string_view(engine->family_name()) == kWhisperFamily.name;
  return is_whisper ? static_cast<WhisperModel*>(engine) : nullptr;
}

void WhisperModel::write_facts(JsonWriter& json) const {
  const WhisperDimensions& dims = dimensions();
  const SpecialTokens& special = special_tokens();
  json.key("dims").begin_object();
#define SUSURRUS_DIMENSION(name, api_name) json.field(api_name, dims.name);
#include "facts/whisper_dimensions.inc"
#undef SUSURRUS_DIMENSION
  json.end_object();
  json.field("multilingual", special.is_multilingual);
  json.key("special")
      .begin_object()
      .field("endOfText", special.end_of_text)
      .field("startOfTranscript", special.start_of_transcript)
      .field("translate", special.translate)
      .field("transcribe", special.transcribe)
      .field("startOfLm", special.start_of_lm)
      .field("startOfPrevious", special.start_of_previous)
      .field("noSpeech", special.no_speech)
      .field("noTimestamps", special.no_timestamps)
      .field("timestampBegin", special.timestamp_begin);
  json.key("languages").begin_object();
  for (const auto& language : special.languages) json.field(language.code.view(), language.token);
  json.end_object().end_object();
}

Result<std::unique_ptr<Recognition>> WhisperModel::begin(JsonValue options,
                                                         std::optional<uint64_t> sample_count,
                                                         JsonValue state) {
  SUSURRUS_ASSIGN_OR_RETURN(TranscribeOptions parsed,
                            parse_transcribe_options(options, tokenizer()));
  std::optional<TranscriptionState> saved;
  if (state.exists()) {
    SUSURRUS_ASSIGN_OR_RETURN(saved, parse_transcription_state(state));
  }
  SUSURRUS_ASSIGN_OR_RETURN(auto transcriber,
                            Transcriber::create(*this, parsed, sample_count, std::move(saved)));
  return std::unique_ptr<Recognition>(std::move(transcriber));
}

Result<std::unique_ptr<LiveRecognition>> WhisperModel::begin_live(JsonValue options) {
  SUSURRUS_ASSIGN_OR_RETURN(WhisperLiveOptions parsed, parse_live_options(options, tokenizer()));
  SUSURRUS_ASSIGN_OR_RETURN(auto live, WhisperLive::create(*this, std::move(parsed)));
  return std::unique_ptr<LiveRecognition>(std::move(live));
}

}  // namespace susurrus
