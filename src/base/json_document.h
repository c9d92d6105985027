#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/aligned_buffer.h"
#include "base/bytes.h"
#include "base/result.h"

namespace susurrus {

/// What the parser makes of a value. Those of one document lie in a row, in the order of the text: a container's members
/// (key, value, key, ...) or elements follow it.
struct JsonNode {
  enum class Type : uint8_t { null, boolean, integer, real, text, array, object };
  Type type = Type::null;
  /// Members, elements, or bytes of text.
  uint32_t size = 0;
  union {
    uint64_t integer = 0;
    double real;
    const char* text;
    bool boolean;
    const JsonNode* end;  // behind a container
  };

  const JsonNode* next() const { return type >= Type::array ? end : this + 1; }
};

class JsonItems;
class JsonMembers;

/// One value of a JsonDocument; valid as long as the document. A missing value answers "no" to every question.
class JsonValue {
 public:
  JsonValue() = default;
  explicit JsonValue(const JsonNode* node) : node_(node) {}

  bool exists() const { return node_ != nullptr; }
  bool is_null() const { return is(JsonNode::Type::null); }
  bool is_object() const { return is(JsonNode::Type::object); }
  bool is_array() const { return is(JsonNode::Type::array); }
  bool is_string() const { return is(JsonNode::Type::text); }
  /// Elements of an array, members of an object; else 0.
  size_t size() const;

  std::optional<std::string_view> text() const;
  /// Only for integers: 4.0 and -1 are none.
  std::optional<uint64_t> unsigned_integer() const;
  std::optional<double> number() const;
  std::optional<bool> boolean() const;

  /// The first member of that name; a missing value when there is none or this is no object.
  JsonValue operator[](std::string_view key) const;
  /// How often an object has that key.
  size_t count(std::string_view key) const;

  JsonItems items() const;
  JsonMembers members() const;

 private:
  friend class JsonItems;
  friend class JsonMembers;
  bool is(JsonNode::Type type) const { return node_ != nullptr && node_->type == type; }

  const JsonNode* node_ = nullptr;
};

/// for (JsonValue item : value.items())
class JsonItems {
 public:
  class Iterator {
   public:
    Iterator(const JsonNode* at, size_t left) : at_(at), left_(left) {}
    JsonValue operator*() const { return JsonValue(at_); }
    Iterator& operator++();
    bool operator!=(const Iterator& other) const { return left_ != other.left_; }

   private:
    const JsonNode* at_;
    size_t left_;
  };
  explicit JsonItems(JsonValue value);
  Iterator begin() const { return {first_, count_}; }
  Iterator end() const { return {nullptr, 0}; }

 private:
  const JsonNode* first_ = nullptr;
  size_t count_ = 0;
};

/// for (auto [key, value] : object.members())
class JsonMembers {
 public:
  struct Member {
    std::string_view key;
    JsonValue value;
  };
  class Iterator {
   public:
    Iterator(const JsonNode* at, size_t left) : at_(at), left_(left) {}
    Member operator*() const;
    Iterator& operator++();
    bool operator!=(const Iterator& other) const { return left_ != other.left_; }

   private:
    const JsonNode* at_;
    size_t left_;
  };
  explicit JsonMembers(JsonValue value);
  Iterator begin() const { return {first_, count_}; }
  Iterator end() const { return {nullptr, 0}; }

 private:
  const JsonNode* first_ = nullptr;
  size_t count_ = 0;
};

/// Where a JSON text stands in its file, and how to classify what is wrong with it.
struct JsonOrigin {
  uint64_t file_offset = 0;
  ErrorReason reason = ErrorReason::bad_metadata;
  const char* subject = "metadata";
};

/// A parsed JSON text: strict RFC 8259, UTF-8, nesting of at most limits::kJsonDepth, memory within kMaxNodeBytes.
class JsonDocument {
 public:
  /// The parser writes this many bytes behind the text.
  static constexpr size_t kPaddingBytes = 1;
  static constexpr uint64_t kMaxNodeBytes = 512ull << 20;

  /// Parses the first `byte_count` bytes of `buffer`, which the document keeps and overwrites; the buffer is
  /// kPaddingBytes longer.
  static Result<JsonDocument> parse_in_place(AlignedBuffer buffer, size_t byte_count,
                                             JsonOrigin origin);
  /// The same on a copy.
  static Result<JsonDocument> parse(std::string_view text, JsonOrigin origin);

  JsonDocument(JsonDocument&& other) = default;
  JsonDocument& operator=(JsonDocument&&) = delete;

  JsonValue root() const { return JsonValue(reinterpret_cast<const JsonNode*>(nodes_.data())); }

 private:
  JsonDocument(AlignedBuffer text, AlignedBuffer nodes)
      : text_(std::move(text)), nodes_(std::move(nodes)) {}

  AlignedBuffer text_;
  AlignedBuffer nodes_;
};

}  // namespace susurrus
