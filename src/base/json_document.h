#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/aligned_buffer.h"
#include "base/bytes.h"
#include "base/result.h"

struct yyjson_doc;
struct yyjson_val;

namespace susurrus {

class JsonItems;
class JsonMembers;

/// One value of a JsonDocument; valid as long as the document. A missing value returns "no" to
/// every question.
class JsonValue {
 public:
  JsonValue() = default;
  explicit JsonValue(yyjson_val* value) : value_(value) {}

  bool exists() const { return value_ != nullptr; }
  bool is_null() const;
  bool is_object() const;
  bool is_array() const;
  bool is_string() const;
  /// Elements of an array, members of an object; else 0.
  size_t size() const;

  std::optional<std::string_view> text() const;
  /// Only for unsigned integers: 4.0 and -1 do not count.
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
  yyjson_val* value_ = nullptr;
};

/// for (JsonValue item : value.items())
class JsonItems {
 public:
  class Iterator {
   public:
    Iterator(yyjson_val* at, size_t left) : at_(at), left_(left) {}
    JsonValue operator*() const { return JsonValue(at_); }
    Iterator& operator++();
    bool operator!=(const Iterator& other) const { return left_ != other.left_; }

   private:
    yyjson_val* at_;
    size_t left_;
  };
  explicit JsonItems(JsonValue value);
  Iterator begin() const { return {first_, count_}; }
  Iterator end() const { return {nullptr, 0}; }

 private:
  yyjson_val* first_ = nullptr;
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
    Iterator(yyjson_val* at, size_t left) : at_(at), left_(left) {}
    Member operator*() const;
    Iterator& operator++();
    bool operator!=(const Iterator& other) const { return left_ != other.left_; }

   private:
    yyjson_val* at_;
    size_t left_;
  };
  explicit JsonMembers(JsonValue value);
  Iterator begin() const { return {first_, count_}; }
  Iterator end() const { return {nullptr, 0}; }

 private:
  yyjson_val* first_ = nullptr;
  size_t count_ = 0;
};

/// Where a JSON text stands in its file, and how to classify what is wrong with it.
struct JsonOrigin {
  uint64_t file_offset = 0;
  ErrorReason reason = ErrorReason::bad_metadata;
  const char* subject = "metadata";
};

/// A parsed JSON text: strict RFC 8259, UTF-8, nesting of at most limits::kJsonDepth, memory within kMaxHeapBytes.
class JsonDocument {
 public:
  /// The parser may write this many bytes after the text.
  static constexpr size_t kPaddingBytes = 4;
  static constexpr uint64_t kMaxHeapBytes = 512ull << 20;

  /// Parses the first `byte_count` bytes of `buffer`, which the document keeps and overwrites; the buffer is
  /// kPaddingBytes longer.
  static Result<JsonDocument> parse_in_place(AlignedBuffer buffer, size_t byte_count,
                                             JsonOrigin origin);
  /// Parses a copy of `text`.
  static Result<JsonDocument> parse(std::string_view text, JsonOrigin origin);

  JsonDocument(JsonDocument&& other) noexcept;
  JsonDocument& operator=(JsonDocument&&) = delete;
  JsonDocument(const JsonDocument&) = delete;
  ~JsonDocument();

  JsonValue root() const;

 private:
  struct Heap;
  JsonDocument(AlignedBuffer text, std::unique_ptr<Heap> heap, yyjson_doc* document);

  AlignedBuffer text_;
  std::unique_ptr<Heap> heap_;
  yyjson_doc* document_ = nullptr;
};

}  // namespace susurrus
