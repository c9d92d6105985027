#include "session/live/live_options.h"

#include "session/json_option.h"
#include "session/options_json.h"

namespace susurrus {

Result<WhisperLiveOptions> parse_live_options(JsonValue json, const Tokenizer& tokenizer) {
  constexpr NumberRange kStep{0.2, 10, "0.2 to 10"};
  WhisperLiveOptions options;
  SUSURRUS_ASSIGN_OR_RETURN(options.transcribe,
                            parse_transcribe_options(json["decode"], tokenizer));
  // Live text cannot wait for all attempts of the default.
  options.transcribe.fallback.temperatures = {0, 0.4, 0.8};
  if (const JsonValue step = json["step"]; step.exists())
    SUSURRUS_RETURN_IF_ERROR((JsonOption{"step", step}.read(options.step_seconds, kStep)));
  if (const JsonValue policy = json["policy"]; policy.exists()) {
    const std::string_view name = policy.text().value_or("");
    if (name != "attention" && name != "agreement")
      return (JsonOption{"policy", policy}.wrong("attention or agreement"));
    if (name == "agreement") options.policy = CommitPolicyKind::agreement;
  }
  return options;
}

}  // namespace susurrus
