#include "session/json_option.h"

#include "base/decimal.h"

namespace susurrus {

Error option_error(std::string_view name, std::string_view expected) {
  return make_error(ErrorCode::invalid_argument, ErrorReason::option)
      .with_subject(name)
      .with_expected(expected);
}

Error JsonOption::wrong(std::string_view expected) const {
  Error error = option_error(name, expected);
  if (auto text = value.text()) return std::move(error).with_got(*text);
  if (value.is_null()) return std::move(error).with_got("null");
  if (auto number = value.number()) return std::move(error).with_got(decimal_text(*number, 15));
  return error;
}

Status JsonOption::read(bool& target) const {
  auto truth = value.boolean();
  if (!truth) return wrong("true or false");
  target = *truth;
  return ok_status();
}

Status JsonOption::read(std::string& target) const {
  auto text = value.text();
  if (!text) return wrong("text");
  target = *text;
  return ok_status();
}

Status JsonOption::read(double& target, const NumberRange& range) const {
  auto number = value.number();
  if (!number || !range.holds(*number)) return wrong(range.text);
  target = *number;
  return ok_status();
}

Status JsonOption::read(float& target, const NumberRange& range) const {
  double number = 0;
  SUSURRUS_RETURN_IF_ERROR(read(number, range));
  target = static_cast<float>(number);
  return ok_status();
}

}  // namespace susurrus
