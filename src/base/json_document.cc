#include "base/json_document.h"

#include <yyjson.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/decimal.h"
#include "base/limits.h"
#include "base/utf8.h"

/// What yyjson is compiled to call instead of libc's.
extern "C" double susurrus_strtod(const char* text, char** end) {
  const char* after;
  const double number = susurrus::read_decimal(text, &after);
  *end = const_cast<char*>(after);
  return number;
}

namespace susurrus {
namespace {

/// Position of the bracket that nests too deeply. Text that is not JSON gives any result; the
/// parser rejects it anyway.
std::optional<size_t> find_too_deep(std::string_view text) {
  uint32_t depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > limits::kJsonDepth) return i;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return std::nullopt;
}

Error json_error(const JsonOrigin& origin, size_t position, std::string_view problem) {
  return make_error(ErrorCode::malformed, origin.reason)
      .at(origin.file_offset + position)
      .with_subject(origin.subject)
      .with_expected("JSON in UTF-8")
      .with_got(problem);
}

}  // namespace

/// yyjson's allocator: counts, and rejects beyond a cap.
struct JsonDocument::Heap {
  uint64_t used = 0;
  bool refused = false;

  bool take(uint64_t add) {
    if (add > kMaxHeapBytes - used) {
      refused = true;
      return false;
    }
    used += add;
    return true;
  }

  // Each block starts with its size, since free() is not given it.
  static constexpr size_t kPrefix = 16;

  static void* allocate(void* context, size_t size) {
    Heap& heap = *static_cast<Heap*>(context);
    if (!heap.take(size + uint64_t{kPrefix})) return nullptr;
    auto* block = static_cast<uint8_t*>(std::malloc(size + kPrefix));
    if (block == nullptr) return nullptr;
    std::memcpy(block, &size, sizeof size);
    return block + kPrefix;
  }

  static void* reallocate(void* context, void* old, size_t, size_t size) {
    Heap& heap = *static_cast<Heap*>(context);
    uint8_t* block = static_cast<uint8_t*>(old) - kPrefix;
    size_t old_size;
    std::memcpy(&old_size, block, sizeof old_size);
    if (size > old_size && !heap.take(size - old_size)) return nullptr;
    auto* moved = static_cast<uint8_t*>(std::realloc(block, size + kPrefix));
    if (moved == nullptr) return nullptr;
    if (size < old_size) heap.used -= old_size - size;
    std::memcpy(moved, &size, sizeof size);
    return moved + kPrefix;
  }

  static void release(void* context, void* old) {
    Heap& heap = *static_cast<Heap*>(context);
    uint8_t* block = static_cast<uint8_t*>(old) - kPrefix;
    size_t size;
    std::memcpy(&size, block, sizeof size);
    heap.used -= size + kPrefix;
    std::free(block);
  }
};

JsonDocument::JsonDocument(AlignedBuffer text, std::unique_ptr<Heap> heap, yyjson_doc* document)
    : text_(std::move(text)), heap_(std::move(heap)), document_(document) {}

JsonDocument::JsonDocument(JsonDocument&& other) noexcept
    : text_(std::move(other.text_)),
      heap_(std::move(other.heap_)),
      document_(std::exchange(other.document_, nullptr)) {}

JsonDocument::~JsonDocument() {
  if (document_ != nullptr) yyjson_doc_free(document_);
}

Result<JsonDocument> JsonDocument::parse_in_place(AlignedBuffer buffer, size_t byte_count,
                                                  JsonOrigin origin) {
  SUSURRUS_CHECK(buffer.byte_count() >= byte_count + kPaddingBytes);
  char* data = reinterpret_cast<char*>(buffer.data());
  const std::string_view text(data, byte_count);
  if (auto bad = find_invalid_utf8(text))
    return json_error(origin, *bad, "bytes that are not UTF-8");
  if (auto deep = find_too_deep(text)) return json_error(origin, *deep, "nesting deeper than 64");

  std::memset(data + byte_count, 0, kPaddingBytes);
  auto heap = std::make_unique<Heap>();
  yyjson_alc allocator = {Heap::allocate, Heap::reallocate, Heap::release, heap.get()};
  yyjson_read_err problem = {};
  yyjson_doc* document =
      yyjson_read_opts(data, byte_count, YYJSON_READ_INSITU, &allocator, &problem);
  if (document == nullptr) {
    if (problem.code == YYJSON_READ_ERROR_MEMORY_ALLOCATION) {
      return make_error(heap->refused ? ErrorCode::limit_exceeded : ErrorCode::out_of_memory,
                        heap->refused ? ErrorReason::limit : ErrorReason::memory)
          .at(origin.file_offset)
          .with_subject(origin.subject)
          .with_got(byte_count);
    }
    return json_error(origin, problem.pos, problem.msg == nullptr ? "nothing" : problem.msg);
  }
  return JsonDocument(std::move(buffer), std::move(heap), document);
}

Result<JsonDocument> JsonDocument::parse(std::string_view text, JsonOrigin origin) {
  SUSURRUS_ASSIGN_OR_RETURN(
      AlignedBuffer buffer,
      AlignedBuffer::allocate(uint64_t{text.size()} + kPaddingBytes, origin.subject));
  if (!text.empty()) std::memcpy(buffer.data(), text.data(), text.size());
  return parse_in_place(std::move(buffer), text.size(), origin);
}

JsonValue JsonDocument::root() const { return JsonValue(yyjson_doc_get_root(document_)); }

bool JsonValue::is_null() const { return yyjson_is_null(value_); }
bool JsonValue::is_object() const { return yyjson_is_obj(value_); }
bool JsonValue::is_array() const { return yyjson_is_arr(value_); }
bool JsonValue::is_string() const { return yyjson_is_str(value_); }

size_t JsonValue::size() const {
  return is_array() ? yyjson_arr_size(value_) : is_object() ? yyjson_obj_size(value_) : 0;
}

std::optional<std::string_view> JsonValue::text() const {
  if (!is_string()) return std::nullopt;
  return std::string_view(yyjson_get_str(value_), yyjson_get_len(value_));
}

std::optional<uint64_t> JsonValue::unsigned_integer() const {
  if (!yyjson_is_uint(value_)) return std::nullopt;
  return yyjson_get_uint(value_);
}

std::optional<double> JsonValue::number() const {
  if (!yyjson_is_num(value_)) return std::nullopt;
  return yyjson_get_num(value_);
}

std::optional<bool> JsonValue::boolean() const {
  if (!yyjson_is_bool(value_)) return std::nullopt;
  return yyjson_get_bool(value_);
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
  first_ = yyjson_arr_get_first(value.value_);
  count_ = value.size();
}

JsonItems::Iterator& JsonItems::Iterator::operator++() {
  // The value after the last one may lie outside the document.
  if (--left_ > 0) at_ = unsafe_yyjson_get_next(at_);
  return *this;
}

JsonMembers::JsonMembers(JsonValue value) {
  if (!value.is_object()) return;
  first_ = unsafe_yyjson_get_first(value.value_);
  count_ = value.size();
}

JsonMembers::Member JsonMembers::Iterator::operator*() const {
  return {{yyjson_get_str(at_), yyjson_get_len(at_)}, JsonValue(at_ + 1)};
}

JsonMembers::Iterator& JsonMembers::Iterator::operator++() {
  if (--left_ > 0) at_ = unsafe_yyjson_get_next(at_ + 1);
  return *this;
}

}  // namespace susurrus
