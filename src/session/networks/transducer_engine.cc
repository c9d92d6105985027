#include "session/networks/transducer_engine.h"

#include "session/json_option.h"
#include "session/networks/network_options.h"
#include "session/networks/streamed_recognition.h"
#include "session/networks/transducer_live.h"

namespace susurrus {
namespace {

constexpr std::string_view kOptions[] = {"frontEnd"};

}  // namespace

Result<std::unique_ptr<Engine>> TransducerEngine::make(std::unique_ptr<TransducerModel> model) {
  std::unique_ptr<TransducerEngine> engine(new TransducerEngine(std::move(model)));
  // Rejects networks that do not fit together now, not when speech arrives.
  SUSURRUS_ASSIGN_OR_RETURN(auto live,
                            TransducerLive::make(*engine->model_, AprilFrontEnd::standard));
  engine->plan_ = {.weight_bytes = engine->model_->weight_byte_count(),
                   .activation_bytes = live->byte_count()};
  return std::unique_ptr<Engine>(std::move(engine));
}

void TransducerEngine::write_facts(JsonWriter& json) const {
  json.field("name", std::string_view(model_->name()))
      .field("description", std::string_view(model_->description()))
      .field("language", model_->language())
      .field("sampleRate", static_cast<uint32_t>(model_->params().samplerate))
      .field("tokenCount", static_cast<uint64_t>(model_->vocabulary().size()))
      .field("streams", true);
}

Result<std::unique_ptr<Recognition>> TransducerEngine::begin(JsonValue options,
                                                             std::optional<uint64_t> sample_count,
                                                             JsonValue) {
  SUSURRUS_ASSIGN_OR_RETURN(auto live, begin_live(options));
  return StreamedRecognition::make(std::move(live), sample_count, model_->language(),
                                   wants_words(options));
}

Result<std::unique_ptr<LiveRecognition>> TransducerEngine::begin_live(JsonValue options) {
  SUSURRUS_RETURN_IF_ERROR(check_network_options(options, kOptions));
  AprilFrontEnd front_end = AprilFrontEnd::standard;
  if (const JsonValue value = options["frontEnd"]; value.exists()) {
    const std::string_view name = value.text().value_or("");
    if (name == "april-asr-0.0.4") {
      front_end = AprilFrontEnd::april_asr_0_0_4;
    } else if (name != "standard") {
      return option_error("frontEnd", "\"standard\" or \"april-asr-0.0.4\"");
    }
  }
  return TransducerLive::make(*model_, front_end);
}

}  // namespace susurrus
