#include "graph/tensor.h"

#include "base/checked_math.h"

namespace susurrus {

Result<OwnedTensor> OwnedTensor::allocate(ElementType type, const Shape& shape, const char* what) {
  const auto count = shape.element_count();
  const auto bytes = count ? checked_multiply(*count, element_byte_count(type)) : std::nullopt;
  if (!bytes) {
    return make_error(ErrorCode::limit_exceeded, ErrorReason::limit).with_subject(what);
  }
  OwnedTensor tensor{type, shape, {}, {}};
  SUSURRUS_ASSIGN_OR_RETURN(tensor.buffer, AlignedBuffer::allocate(*bytes, what));
  return tensor;
}

}  // namespace susurrus
