#include "container/safetensors/safetensors_header.h"

#include "base/json_document.h"
#include "base/name_index.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "container/read_error.h"

namespace susurrus {
namespace {

constexpr uint64_t kLengthBytes = 8;

struct SourceType {
  std::string_view name;
  uint32_t byte_count;
  std::optional<Dtype> dtype;
};

constexpr SourceType kSourceTypes[] = {
    {"F32", 4, Dtype::f32},   {"F16", 2, Dtype::f16},       {"BF16", 2, Dtype::bf16},
    {"I8", 1, Dtype::i8},     {"U8", 1, Dtype::u8},         {"I16", 2, Dtype::i16},
    {"I32", 4, Dtype::i32},   {"I64", 8, Dtype::i64},       {"BOOL", 1, std::nullopt},
    {"U16", 2, std::nullopt}, {"U32", 4, std::nullopt},     {"U64", 8, std::nullopt},
    {"F64", 8, std::nullopt}, {"F8_E5M2", 1, std::nullopt}, {"F8_E4M3", 1, std::nullopt},
};

const SourceType* find_type(std::string_view name) {
  for (const SourceType& type : kSourceTypes) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

struct Entry {
  TensorInfo tensor;
  bool is_kept = true;
};

class HeaderParser {
 public:
  HeaderParser(JsonValue root, uint64_t data_offset, uint64_t file_byte_count, JsonWriter* metadata)
      : root_(root),
        data_offset_(data_offset),
        file_byte_count_(file_byte_count),
        metadata_(metadata) {}

  Result<std::vector<TensorInfo>> parse() {
    if (!root_.is_object()) return bad("header").with_expected("an object");
    NameIndex names;
    for (const auto [name, value] : root_.members()) names.add(name, 0);
    names.sort();
    if (const auto* twice = names.duplicate()) {
      return malformed(ErrorReason::duplicate, kLengthBytes, twice->name)
          .with_expected("each name once");
    }
    for (const auto [name, value] : root_.members()) {
      if (is_mlx_scale(name)) return unsupported_type(name, "weights that MLX has quantised");
    }
    for (const auto [name, value] : root_.members()) {
      if (name == "__metadata__") {
        if (!value.is_object()) return bad(name).with_expected("an object of strings");
        if (metadata_ != nullptr) write_metadata(value);
        continue;
      }
      SUSURRUS_RETURN_IF_ERROR(add(name, value));
    }
    SUSURRUS_RETURN_IF_ERROR(check_coverage());
    std::vector<TensorInfo> tensors;
    for (Entry& entry : entries_) {
      if (entry.is_kept) tensors.push_back(std::move(entry.tensor));
    }
    return tensors;
  }

 private:
  static Error bad(std::string_view subject) {
    return malformed(ErrorReason::bad_metadata, kLengthBytes, subject);
  }

  void write_metadata(JsonValue texts) {
    for (const auto [key, value] : texts.members()) {
      if (const auto text = value.text()) metadata_->field(key, *text);
    }
  }

  Status add(std::string_view name, JsonValue value) {
    if (name.empty() || name.size() > limits::kTensorNameBytes) {
      return malformed(ErrorReason::bad_name, kLengthBytes, "name")
          .with_expected("1 to 1024 bytes");
    }
    if (!is_plain_text(name)) {
      return malformed(ErrorReason::bad_name, kLengthBytes, "name")
          .with_expected("text without control characters");
    }
    if (!value.is_object()) return bad(name).with_expected("an object");
    for (const char* key : {"dtype", "shape", "data_offsets"}) {
      if (value.count(key) != 1) return bad(name).with_expected(key).with_got(value.count(key));
    }
    const auto type_name = value["dtype"].text();
    const SourceType* type = type_name ? find_type(*type_name) : nullptr;
    if (type == nullptr) return unsupported_type(name, type_name.value_or("no text"));
    Entry entry;
    entry.tensor.name = name;
    SUSURRUS_RETURN_IF_ERROR(read_shape(value["shape"], entry.tensor));
    SUSURRUS_RETURN_IF_ERROR(read_range(value["data_offsets"], *type, entry.tensor));
    if (type->dtype) {
      entry.tensor.dtype = *type->dtype;
    } else {
      if (is_weight_name(name)) {
        return unsupported_type(name, type->name);
      }
      entry.is_kept = false;
    }
    entries_.push_back(std::move(entry));
    return ok_status();
  }

  /// What models know of encoders and decoders; other tensors of such a file are left out.
  static bool is_weight_name(std::string_view name) {
    if (name.starts_with("model.")) name.remove_prefix(6);
    return name.starts_with("encoder.") || name.starts_with("decoder.");
  }

  /// Beside weights of a few bits in words of 32.
  static bool is_mlx_scale(std::string_view name) {
    return name.ends_with(".scales") &&
           (name.starts_with("encoder.") || name.starts_with("decoder."));
  }

  static Error unsupported_type(std::string_view name, std::string_view type) {
    return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported_dtype)
        .at(kLengthBytes)
        .with_subject(name)
        .with_expected("F32, F16 or BF16")
        .with_got(type);
  }

  static Status read_shape(JsonValue shape, TensorInfo& tensor) {
    const Error wrong = malformed(ErrorReason::bad_shape, kLengthBytes, tensor.name);
    if (!shape.is_array() || shape.size() > limits::kMaxDims) {
      return Error(wrong).with_expected("up to 8 dimensions").with_got(shape.size());
    }
    for (const JsonValue dim : shape.items()) {
      const auto size = dim.unsigned_integer();
      if (!size) return Error(wrong).with_expected("integers that are not negative");
      tensor.shape.append(*size);
    }
    return ok_status();
  }

  Status read_range(JsonValue range, const SourceType& type, TensorInfo& tensor) const {
    uint64_t ends[2] = {};
    size_t count = 0;
    for (const JsonValue item : range.items()) {
      const auto end = item.unsigned_integer();
      if (!end || count == 2) return bad(tensor.name).with_expected("two offsets");
      ends[count++] = *end;
    }
    if (count != 2) return bad(tensor.name).with_expected("two offsets");
    const uint64_t data_byte_count = file_byte_count_ - data_offset_;
    if (ends[0] > ends[1] || ends[1] > data_byte_count) {
      return malformed(ErrorReason::bounds, kLengthBytes, tensor.name)
          .with_expected("a range within " + std::to_string(data_byte_count) + " bytes")
          .with_got(ends[1]);
    }
    const auto elements = tensor.shape.element_count();
    const auto bytes = elements ? checked_multiply(*elements, type.byte_count) : elements;
    if (!bytes) {
      return malformed(ErrorReason::bad_shape, kLengthBytes, tensor.name)
          .with_expected("dimensions whose product fits 64 bits");
    }
    if (ends[1] - ends[0] != *bytes) {
      return malformed(ErrorReason::size_mismatch, kLengthBytes, tensor.name)
          .with_expected(*bytes)
          .with_got(ends[1] - ends[0]);
    }
    tensor.file_offset = data_offset_ + ends[0];
    tensor.raw_byte_count = *bytes;
    tensor.stored_byte_count = *bytes;
    return ok_status();
  }

  /// No overlaps, no holes, nothing after the last tensor.
  Status check_coverage() {
    heap_sort(entries_,
              [](const Entry& a, const Entry& b) { return is_stored_before(a.tensor, b.tensor); });
    uint64_t end = data_offset_;
    for (const Entry& entry : entries_) {
      if (entry.tensor.file_offset != end) {
        return malformed(ErrorReason::layout, entry.tensor.file_offset, entry.tensor.name)
            .with_expected("data at " + std::to_string(end))
            .with_got(entry.tensor.file_offset < end ? "an overlap" : "a hole");
      }
      end += entry.tensor.stored_byte_count;
    }
    if (end != file_byte_count_) {
      return malformed(ErrorReason::trailing_data, end, "file")
          .with_expected(end)
          .with_got(file_byte_count_);
    }
    return ok_status();
  }

  JsonValue root_;
  uint64_t data_offset_;
  uint64_t file_byte_count_;
  JsonWriter* metadata_;
  std::vector<Entry> entries_;
};

}  // namespace

Result<uint64_t> safetensors_header_byte_count(ByteSpan first_bytes, uint64_t file_byte_count) {
  if (first_bytes.size() < kLengthBytes || file_byte_count < kLengthBytes + 2) {
    return truncated(first_bytes.size(), "header length")
        .with_expected(kLengthBytes)
        .with_got(first_bytes.size());
  }
  const uint64_t json_byte_count = load_le<uint64_t>(first_bytes.data());
  if (json_byte_count > limits::kSafetensorsHeaderBytes) {
    return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
        .at(0)
        .with_subject("header length")
        .with_expected(limits::kSafetensorsHeaderBytes)
        .with_got(json_byte_count);
  }
  if (json_byte_count > file_byte_count - kLengthBytes) {
    return truncated(0, "header length")
        .with_expected(json_byte_count + kLengthBytes)
        .with_got(file_byte_count);
  }
  return kLengthBytes + json_byte_count;
}

Result<std::vector<TensorInfo>> parse_safetensors_header(ByteSpan header, uint64_t file_byte_count,
                                                         JsonWriter* metadata) {
  const std::string_view json = as_text(header);
  if (json.empty() || json.front() != '{') {
    return malformed(ErrorReason::bad_metadata, kLengthBytes, "header").with_expected("{");
  }
  SUSURRUS_ASSIGN_OR_RETURN(
      const JsonDocument document,
      JsonDocument::parse(json, {kLengthBytes, ErrorReason::bad_metadata, "header"}));
  return HeaderParser(document.root(), kLengthBytes + header.size(), file_byte_count, metadata)
      .parse();
}

}  // namespace susurrus
