#include "base/result.h"

namespace susurrus {

Outcome::Outcome(const Error& error) : has_value_(false), error_(error) {}

Outcome::Outcome(const Outcome& other) : has_value_(other.has_value_) {
  if (!has_value_) new (&error_) Error(other.error_);
}

Outcome& Outcome::operator=(const Outcome& other) {
  has_value_ = other.has_value_;
  if (!has_value_) new (&error_) Error(other.error_);
  return *this;
}

}  // namespace susurrus
