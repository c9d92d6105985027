#include "base/error.h"

#include <charconv>

namespace susurrus {
namespace {

template <size_t N>
void assign_number(FixedString<N>& target, uint64_t number) {
  char digits[20];
  auto [end, code] = std::to_chars(digits, digits + sizeof digits, number);
  (void)code;  // 20 digits hold every u64
  target.assign({digits, static_cast<size_t>(end - digits)});
}

}  // namespace

Error make_error(ErrorCode code, ErrorReason reason) {
  Error error;
  error.code = code;
  error.reason = reason;
  return error;
}

Error&& Error::about(std::string_view what) && {
  subject.assign(what);
  return static_cast<Error&&>(*this);
}
Error&& Error::about(const char* what) && {
  return static_cast<Error&&>(*this).about(std::string_view(what));
}

Error&& Error::expecting(std::string_view text) && {
  expected.assign(text);
  return static_cast<Error&&>(*this);
}
Error&& Error::expecting(const char* text) && {
  return static_cast<Error&&>(*this).expecting(std::string_view(text));
}
Error&& Error::expecting(uint64_t number) && {
  assign_number(expected, number);
  return static_cast<Error&&>(*this);
}

Error&& Error::having(std::string_view text) && {
  got.assign(text);
  return static_cast<Error&&>(*this);
}
Error&& Error::having(const char* text) && {
  return static_cast<Error&&>(*this).having(std::string_view(text));
}
Error&& Error::having(uint64_t number) && {
  assign_number(got, number);
  return static_cast<Error&&>(*this);
}

std::string_view error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::ok: return "ok";
#define SUSURRUS_ERROR(name, number, meaning) \
  case ErrorCode::name: return #name;
#include "facts/error_codes.inc"
#undef SUSURRUS_ERROR
  }
  return "internal_error";
}

std::string_view error_code_meaning(ErrorCode code) {
  switch (code) {
    case ErrorCode::ok: return "no error";
#define SUSURRUS_ERROR(name, number, meaning) \
  case ErrorCode::name: return meaning;
#include "facts/error_codes.inc"
#undef SUSURRUS_ERROR
  }
  return "a bug in this engine";
}

std::string_view error_reason_name(ErrorReason reason) {
  switch (reason) {
#define SUSURRUS_REASON(name) \
  case ErrorReason::name: return #name;
#include "facts/error_reasons.inc"
#undef SUSURRUS_REASON
  }
  return "internal";
}

}  // namespace susurrus
