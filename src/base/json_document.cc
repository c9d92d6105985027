#include "base/json_document.h"

#include <cmath>
#include <cstring>
#include <new>
#include <utility>

#include "base/decimal.h"
#include "base/limits.h"
#include "base/utf8.h"

namespace susurrus {
namespace {

using Type = JsonNode::Type;

/// What is to be known of a text before it is parsed. Text that is not JSON gives any answer; the parser refuses it anyway.
struct Outline {
  /// Values at most: each but the first one follows one of [ { , :
  uint64_t most_values = 1;
  /// Position of the bracket that nests too deeply.
  std::optional<size_t> too_deep;
};
Outline outline(std::string_view text) {
  Outline found;
  uint32_t depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == ',' || c == ':') {
      ++found.most_values;
    } else if (c == '{' || c == '[') {
      ++found.most_values;
      if (++depth > limits::kJsonDepth) {
        found.too_deep = i;
        return found;
      }
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return found;
}

Error json_error(const JsonOrigin& origin, size_t position, std::string_view problem) {
  return make_error(ErrorCode::malformed, origin.reason)
      .at(origin.file_offset + position)
      .about(origin.subject)
      .expecting("JSON in UTF-8")
      .having(problem);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Makes nodes of a text that ends with a zero byte, which is no part of any value. Texts are unescaped where they stand.
/// Functions answer whether all went well; at() is where not.
class Parser {
 public:
  Parser(char* text, JsonNode* nodes) : at_(text), next_(nodes) {}

  const char* at() const { return at_; }

  /// Goes no deeper than the outline allowed.
  bool value() {
    skip_space();
    JsonNode& node = *new (next_++) JsonNode;
    switch (*at_) {
      case '{': return container(node, Type::object, '}');
      case '[': return container(node, Type::array, ']');
      case '"': return text(node);
      case 'n': return word("null");
      case 't': return boolean(node, "true", true);
      case 'f': return boolean(node, "false", false);
      default: return number(node);
    }
  }
  void skip_space() {
    while (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t') ++at_;
  }

 private:
  bool take(char c) {
    if (*at_ != c) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view name) {
    for (char c : name) {
      if (!take(c)) return false;
    }
    return true;
  }
  bool boolean(JsonNode& node, std::string_view name, bool truth) {
    node.type = Type::boolean;
    node.boolean = truth;
    return word(name);
  }

  bool container(JsonNode& node, Type type, char close) {
    node.type = type;
    ++at_;
    skip_space();
    bool is_open = !take(close);
    while (is_open) {
      if (type == Type::object) {
        skip_space();
        if (*at_ != '"' || !text(*new (next_++) JsonNode)) return false;
        skip_space();
        if (!take(':')) return false;
      }
      if (!value()) return false;
      ++node.size;
      skip_space();
      is_open = take(',');
      if (!is_open && !take(close)) return false;
    }
    node.end = next_;
    return true;
  }

  bool text(JsonNode& node) {
    char* const begin = ++at_;
    while (*at_ != '"' && *at_ != '\\' && static_cast<uint8_t>(*at_) >= 0x20) ++at_;
    char* out = at_;
    while (*at_ != '"') {
      if (static_cast<uint8_t>(*at_) < 0x20) return false;
      if (*at_ != '\\') {
        *out++ = *at_++;
      } else if (!escape(out)) {
        return false;
      }
    }
    ++at_;
    node.type = Type::text;
    node.text = begin;
    node.size = static_cast<uint32_t>(out - begin);
    return true;
  }

  bool escape(char*& out) {
    constexpr std::string_view kNames = "\"\\/bfnrtu";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const size_t which = kNames.find(at_[1]);
    if (at_[1] == '\0' || which == kNames.npos) return false;
    if (which < kMeanings.size()) {
      at_ += 2;
      *out++ = kMeanings[which];
      return true;
    }
    char32_t point;
    if (!unit(point)) return false;
    if (point >= 0xD800 && point < 0xE000) {
      char32_t low;
      if (point >= 0xDC00 || !unit(low) || low < 0xDC00 || low >= 0xE000) return false;
      point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
    }
    // Never longer than its spelling.
    const int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    *out++ = static_cast<char>(more == 0 ? point : (0xF0 << (3 - more)) | point >> (6 * more));
    for (int i = more; i-- > 0;) *out++ = static_cast<char>(0x80 | (point >> (6 * i) & 0x3F));
    return true;
  }
  /// \uXXXX
  bool unit(char32_t& value) {
    if (!take('\\') || !take('u')) return false;
    value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = *at_;
      const char letter = static_cast<char>(c | 0x20);
      if (!is_digit(c) && (letter < 'a' || letter > 'f')) return false;
      value = value * 16 + static_cast<char32_t>(is_digit(c) ? c - '0' : letter - 'a' + 10);
    }
    return true;
  }

  bool digits() {
    if (!is_digit(*at_)) return false;
    while (is_digit(*at_)) ++at_;
    return true;
  }
  bool number(JsonNode& node) {
    char* const begin = at_;
    take('-');
    if (!take('0') && !digits()) return false;
    bool is_integer = *begin != '-';
    if (take('.')) {
      is_integer = false;
      if (!digits()) return false;
    }
    if (*at_ == 'e' || *at_ == 'E') {
      is_integer = false;
      ++at_;
      if (!take('+')) take('-');
      if (!digits()) return false;
    }
    if (is_integer && read_integer(begin, node.integer)) {
      node.type = Type::integer;
      return true;
    }
    node.type = Type::real;
    node.real = read_decimal({begin, static_cast<size_t>(at_ - begin)});
    if (std::isfinite(node.real)) return true;
    at_ = begin;
    return false;
  }
  /// False beyond 2^64 - 1.
  bool read_integer(const char* digit, uint64_t& integer) const {
    integer = 0;
    for (; digit != at_; ++digit) {
      const auto ones = static_cast<uint64_t>(*digit - '0');
      if (integer > (~uint64_t{0} - ones) / 10) return false;
      integer = integer * 10 + ones;
    }
    return true;
  }

  char* at_;
  JsonNode* next_;
};

}  // namespace

Result<JsonDocument> JsonDocument::parse_in_place(AlignedBuffer buffer, size_t byte_count,
                                                  JsonOrigin origin) {
  SUSURRUS_CHECK(buffer.byte_count() >= byte_count + kPaddingBytes);
  char* data = reinterpret_cast<char*>(buffer.data());
  const std::string_view text(data, byte_count);
  if (auto bad = find_invalid_utf8(text))
    return json_error(origin, *bad, "bytes that are not UTF-8");
  const Outline found = outline(text);
  if (found.too_deep) return json_error(origin, *found.too_deep, "nesting deeper than 64");

  const uint64_t node_bytes = found.most_values * sizeof(JsonNode);
  if (node_bytes > kMaxNodeBytes) {
    return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
        .at(origin.file_offset)
        .about(origin.subject)
        .having(byte_count);
  }
  SUSURRUS_ASSIGN(AlignedBuffer nodes, AlignedBuffer::allocate(node_bytes, origin.subject));
  data[byte_count] = '\0';
  Parser parser(data, reinterpret_cast<JsonNode*>(nodes.data()));
  const bool is_value = parser.value();
  if (is_value) parser.skip_space();
  const auto at = static_cast<size_t>(parser.at() - data);
  if (at < byte_count) return json_error(origin, at, "something else");
  if (!is_value) return json_error(origin, at, "an early end");
  return JsonDocument(std::move(buffer), std::move(nodes));
}

Result<JsonDocument> JsonDocument::parse(std::string_view text, JsonOrigin origin) {
  SUSURRUS_ASSIGN(AlignedBuffer buffer,
                  AlignedBuffer::allocate(uint64_t{text.size()} + kPaddingBytes, origin.subject));
  if (!text.empty()) std::memcpy(buffer.data(), text.data(), text.size());
  return parse_in_place(std::move(buffer), text.size(), origin);
}

size_t JsonValue::size() const { return is_array() || is_object() ? node_->size : 0; }

std::optional<std::string_view> JsonValue::text() const {
  if (!is_string()) return std::nullopt;
  return std::string_view(node_->text, node_->size);
}

std::optional<uint64_t> JsonValue::unsigned_integer() const {
  if (!is(Type::integer)) return std::nullopt;
  return node_->integer;
}

std::optional<double> JsonValue::number() const {
  if (is(Type::integer)) return static_cast<double>(node_->integer);
  if (is(Type::real)) return node_->real;
  return std::nullopt;
}

std::optional<bool> JsonValue::boolean() const {
  if (!is(Type::boolean)) return std::nullopt;
  return node_->boolean;
}

JsonValue JsonValue::operator[](std::string_view key) const {
  for (auto [name, value] : members()) {
    if (name == key) return value;
  }
  return {};
}

size_t JsonValue::count(std::string_view key) const {
  size_t found = 0;
  for (auto [name, value] : members()) {
    if (name == key) ++found;
  }
  return found;
}

JsonItems JsonValue::items() const { return JsonItems(*this); }
JsonMembers JsonValue::members() const { return JsonMembers(*this); }

JsonItems::JsonItems(JsonValue value) {
  if (!value.is_array()) return;
  first_ = value.node_ + 1;
  count_ = value.size();
}

JsonItems::Iterator& JsonItems::Iterator::operator++() {
  at_ = at_->next();
  --left_;
  return *this;
}

JsonMembers::JsonMembers(JsonValue value) {
  if (!value.is_object()) return;
  first_ = value.node_ + 1;
  count_ = value.size();
}

JsonMembers::Member JsonMembers::Iterator::operator*() const {
  return {{at_->text, at_->size}, JsonValue(at_ + 1)};
}

JsonMembers::Iterator& JsonMembers::Iterator::operator++() {
  at_ = at_[1].next();
  --left_;
  return *this;
}

}  // namespace susurrus
