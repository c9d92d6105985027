#include "container/tennis/tennis_bubble.h"

#include <algorithm>
#include <utility>

#include "base/decimal.h"
#include "base/sort.h"
#include "container/tennis/tennis_names.h"
#include "container/tennis/tennis_values.h"

namespace susurrus {
namespace {

/// More than any number takes; longer texts are not numbers.
constexpr size_t kNumberBytes = 32;

}  // namespace

void TennisBubble::begin(uint64_t node, uint64_t offset) {
  node_ = node;
  offset_ = offset;
  names_.clear();
  name_texts_.clear();
  parameter_name_ = {};
  current_ = Reserved::none;
  has_name_ = has_value_ = false;
  op_.clear();
  name_.clear();
}

std::string TennisBubble::subject(std::string_view what) const {
  return tennis_subject(node_, name_, what);
}

Error TennisBubble::wrong(std::string_view what, uint64_t offset) const {
  return make_error(ErrorCode::malformed, ErrorReason::bad_metadata)
      .at(offset)
      .with_subject(subject(what));
}

void TennisBubble::begin_parameter(std::string_view name, uint64_t offset) {
  const auto begin = static_cast<uint32_t>(name_texts_.size());
  name_texts_ += name;
  names_.push_back({offset, begin, static_cast<uint32_t>(name_texts_.size())});
  parameter_name_ = text(names_.back());
  current_ = name == "#op"             ? Reserved::op
             : name == "#name"         ? Reserved::name
             : name == "#output_count" ? Reserved::output_count
             : name == "value"         ? Reserved::value
                                       : Reserved::none;
}

Status TennisBubble::set_field_count(uint32_t count, uint64_t offset) {
  if (current_ == Reserved::value) {
    has_value_ = true;
    value_field_count_ = count;
    value_offset_ = offset;
  } else if (current_ != Reserved::none && count != 1) {
    return wrong(parameter_name_, offset).with_expected("1 field").with_got(count);
  }
  return ok_status();
}

Status TennisBubble::begin_field(const TennisTensor& tensor, uint64_t offset) {
  bytes_.clear();
  const bool is_text = current_ == Reserved::op || current_ == Reserved::name;
  if (is_text && tensor.dtype != TennisDtype::char8) {
    return wrong(parameter_name_, offset)
        .with_expected("char8")
        .with_got(tennis_dtype_name(tensor.dtype));
  }
  return ok_status();
}

void TennisBubble::add_bytes(ByteSpan bytes) {
  if (current_ == Reserved::output_count && bytes_.size() + bytes.size() > kNumberBytes) {
    bytes_.assign(kNumberBytes, '?');
  } else {
    bytes_ += as_text(bytes);
  }
}

Status TennisBubble::end_field(const TennisTensor& tensor) {
  if (current_ == Reserved::op) {
    op_offset_ = tensor.file_offset;
    op_ = std::exchange(bytes_, std::string());
  } else if (current_ == Reserved::name) {
    has_name_ = true;
    name_ = std::exchange(bytes_, std::string());
  } else if (current_ == Reserved::output_count) {
    const auto count = tennis_number(tensor.dtype, as_bytes(bytes_));
    if (!count || *count != 1) {
      return wrong(parameter_name_, tensor.file_offset)
          .with_expected(1)
          .with_got(count ? decimal_text(*count, 17) : "no number");
    }
  }
  return ok_status();
}

Status TennisBubble::check_names() {
  heap_sort(names_, [this](const Name& a, const Name& b) {
    const int order = text(a).compare(text(b));
    return order != 0 ? order < 0 : a.offset < b.offset;
  });
  // The first that repeats another, in the order of the file.
  const Name* twice = nullptr;
  for (size_t i = 1; i < names_.size(); ++i) {
    if (text(names_[i]) != text(names_[i - 1])) continue;
    if (twice == nullptr || names_[i].offset < twice->offset) twice = &names_[i];
  }
  if (twice == nullptr) return ok_status();
  return make_error(ErrorCode::malformed, ErrorReason::duplicate)
      .at(twice->offset)
      .with_subject(subject(shown_text(text(*twice))))
      .with_expected("each name once");
}

Status TennisBubble::end() {
  SUSURRUS_RETURN_IF_ERROR(check_names());
  if (!has_name_) return wrong("#name", offset_).with_expected("a name").with_got("none");
  if (op_ == "<var>") {
    return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported)
        .at(op_offset_)
        .with_subject(subject("#op"))
        .with_expected("<param>, <const> or an operator")
        .with_got("<var>");
  }
  if (kind() == TennisKind::constant && (!has_value_ || value_field_count_ == 0)) {
    return wrong("value", has_value_ ? value_offset_ : offset_)
        .with_expected("at least 1 field")
        .with_got(has_value_ ? "0 fields" : "no value");
  }
  return ok_status();
}

bool TennisBubble::has_parameter(std::string_view name) const {
  return std::any_of(names_.begin(), names_.end(),
                     [&](const Name& one) { return text(one) == name; });
}

TennisKind TennisBubble::kind() const {
  return op_ == "<param>"   ? TennisKind::parameter
         : op_ == "<const>" ? TennisKind::constant
         : op_.empty()      ? TennisKind::unknown
                            : TennisKind::operation;
}

}  // namespace susurrus
