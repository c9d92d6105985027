#include "tensor/model_family.h"

namespace susurrus {

Error not_of_family(const ModelMetadata& metadata, std::string_view families) {
  return make_error(ErrorCode::unsupported_feature, ErrorReason::model)
      .about("model_type")
      .expecting(families)
      .having(metadata.model_type.view());
}

Error no_tensors() {
  return make_error(ErrorCode::malformed, ErrorReason::no_tensors)
      .about("tensor_count")
      .having("0");
}

}  // namespace susurrus
