#include "session/engine.h"

namespace susurrus {

Result<std::unique_ptr<LiveRecognition>> Engine::begin_live(JsonValue) {
  return make_error(ErrorCode::unsupported_feature, ErrorReason::model)
      .with_subject("stream()")
      .with_expected("a model that hears sound while it comes")
      .with_got(family_name());
}

}  // namespace susurrus
