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

Error&& Error::with_subject(std::string_view what) && {
  subject.assign(what);
  return static_cast<Error&&>(*this);
}
Error&& Error::with_subject(const char* what) && {
  return static_cast<Error&&>(*this).with_subject(std::string_view(what));
}

Error&& Error::with_expected(std::string_view text) && {
  expected.assign(text);
  return static_cast<Error&&>(*this);
}
Error&& Error::with_expected(const char* text) && {
  return static_cast<Error&&>(*this).with_expected(std::string_view(text));
}
Error&& Error::with_expected(uint64_t number) && {
  assign_number(expected, number);
  return static_cast<Error&&>(*this);
}

Error&& Error::with_got(std::string_view text) && {
  got.assign(text);
  return static_cast<Error&&>(*this);
}
Error&& Error::with_got(const char* text) && {
  return static_cast<Error&&>(*this).with_got(std::string_view(text));
}
Error&& Error::with_got(uint64_t number) && {
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
