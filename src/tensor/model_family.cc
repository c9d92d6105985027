#include "tensor/model_family.h"

namespace susurrus {

Error not_of_family(const ModelMetadata& metadata, std::string_view families) {
  return make_error(ErrorCode::unsupported_feature, ErrorReason::model)
      .with_subject("model_type")
      .with_expected(families)
      .with_got(metadata.model_type.view());
}

Error no_tensors() {
  return make_error(ErrorCode::malformed, ErrorReason::no_tensors)
      .with_subject("tensor_count")
      .with_got("0");
}

}  // namespace susurrus
