#pragma once
#include <new>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/error.h"

namespace susurrus {

/// The part that all Results share: whether there is a value, and otherwise the Error. Errors are
/// copied in one place, for every type of value.
class Outcome {
 public:
  bool has_value() const { return has_value_; }
  explicit operator bool() const { return has_value_; }
  const Error& error() const {
    SUSURRUS_CHECK(!has_value_);
    return error_;
  }

 protected:
  Outcome() : has_value_(true) {}
  // Not inlined: hundreds of places do it.
  [[gnu::noinline]] explicit Outcome(const Error& error);
  Outcome(const Outcome& other);
  Outcome& operator=(const Outcome& other);

 private:
  bool has_value_;
  union {
    Error error_;
  };
};

/// Either a T or an Error; must be looked at. Member names are std::expected's, which Clang 14 (libFuzzer) lacks.
template <typename T>
class [[nodiscard]] Result : public Outcome {
 public:
  Result(T value) { new (&value_) T(std::move(value)); }  // NOLINT: implicit
  Result(const Error& error) : Outcome(error) {}          // NOLINT: implicit
  Result(Result&& other) noexcept : Outcome(other) {
    if (has_value()) new (&value_) T(std::move(other.value_));
  }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  Result& operator=(Result&&) = delete;
  ~Result() {
    if (has_value()) value_.~T();
  }

  T& value() & {
    SUSURRUS_CHECK(has_value());
    return value_;
  }
  T&& value() && {
    SUSURRUS_CHECK(has_value());
    return std::move(value_);
  }
  const T& value() const& {
    SUSURRUS_CHECK(has_value());
    return value_;
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  union {
    T value_;
  };
};

template <>
class [[nodiscard]] Result<void> : public Outcome {
 public:
  Result() = default;
  Result(const Error& error) : Outcome(error) {}  // NOLINT: implicit
};

using Status = Result<void>;
inline Status ok_status() { return {}; }

}  // namespace susurrus

/// Returns the error of `expression` upwards.
#define SUSURRUS_RETURN_IF_ERROR(expression)                     \
  do {                                                           \
    if (auto susurrus_status = (expression); !susurrus_status) { \
      return susurrus_status.error();                            \
    }                                                            \
  } while (false)

#define SUSURRUS_CONCAT_INNER(a, b) a##b
#define SUSURRUS_CONCAT(a, b) SUSURRUS_CONCAT_INNER(a, b)

/// SUSURRUS_ASSIGN_OR_RETURN(auto bytes, checked_multiply(a, b)): declares from the value, or returns the error upwards.
#define SUSURRUS_ASSIGN_OR_RETURN(declaration, expression)                                  \
  SUSURRUS_ASSIGN_OR_RETURN_INNER(SUSURRUS_CONCAT(susurrus_result_, __LINE__), declaration, \
                                  expression)
#define SUSURRUS_ASSIGN_OR_RETURN_INNER(temporary, declaration, expression) \
  auto temporary = (expression);                                            \
  if (!temporary) return temporary.error();                                 \
  declaration = std::move(temporary).value()
