#include "container/gguf/gguf_reader.h"

#include "base/byte_cursor.h"
#include "base/checked_math.h"
#include "base/name_index.h"
#include "base/utf8.h"
#include "container/ggml/ggml_types.h"
#include "container/gguf/gguf_values.h"
#include "container/read_error.h"
#include "facts/whisper.h"

namespace susurrus {
namespace {

constexpr uint64_t kHeaderBytes = 24;
constexpr uint64_t kMaxTextBytes = 1ull << 30;
constexpr uint64_t kMaxKeyBytes = 65535;
/// ggml has 64 bytes for a name and its NUL.
constexpr uint64_t kMaxNameBytes = 63;
constexpr uint32_t kMaxDims = 4;
constexpr uint64_t kMaxTokenBytes = 1024;
/// The least that a key with its value, and a tensor of the index, take.
constexpr uint64_t kLeastKeyBytes = 8 + 1 + 4 + 1;
constexpr uint64_t kLeastEntryBytes = 8 + 1 + 4 + 8 + 4 + 8;
constexpr uint64_t kBlockVersion = 2;

/// Types of values by their numbers.
constexpr uint32_t kBool = 7;
constexpr uint32_t kText = 8;
constexpr uint32_t kArray = 9;
constexpr uint8_t kValueBytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
constexpr bool kIsInteger[] = {true,  true,  true,  true, true, true, false,
                               false, false, false, true, true, false};

bool has_word(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

/// The name within a family's keys: whisper.encoder.attention.head_count, whisper.audio.head_count.
bool is_head_count(std::string_view key) {
  return key.starts_with("whisper.") && (key.ends_with("head_count") || key.ends_with("n_head"));
}
bool is_of_encoder(std::string_view key) {
  return has_word(key, "encoder") || has_word(key, "audio");
}
bool is_of_decoder(std::string_view key) {
  return has_word(key, "decoder") || has_word(key, "text");
}

void write_length(JsonWriter& json, uint64_t count) {
  json.begin_object().field("length", count).end_object();
}

}  // namespace

Status GgufReader::start() {
  checkpoint_.format = "GGUF";
  checkpoint_.has_byte_level_text = true;
  checkpoint_.may_reverse_dims = true;
  return expect(kHeaderBytes, "header", &GgufReader::read_header);
}

Status GgufReader::read_header(ByteSpan bytes) {
  ByteCursor cursor(bytes);
  cursor.take(4);
  const uint32_t version = cursor.u32();
  if (version != 2 && version != 3) {
    const bool is_big_endian = (version & 0xFFFF) == 0 && version != 0;
    return make_error(ErrorCode::unsupported_version, ErrorReason::version)
        .at(4)
        .with_subject("version")
        .with_expected("2 or 3")
        .with_got(is_big_endian ? "a file of a big-endian machine" : std::to_string(version));
  }
  checkpoint_.version = std::to_string(version);
  tensor_count_ = cursor.u64();
  keys_left_ = cursor.u64();
  const auto check = [&](uint64_t count, uint64_t least, uint64_t offset,
                         const char* subject) -> Status {
    if (count <= left() / least) return ok_status();
    return malformed(ErrorReason::bad_index, offset, subject)
        .with_expected("at most " + std::to_string(left() / least))
        .with_got(count);
  };
  SUSURRUS_RETURN_IF_ERROR(check(tensor_count_, kLeastEntryBytes, 8, "tensor_count"));
  SUSURRUS_RETURN_IF_ERROR(check(keys_left_, kLeastKeyBytes, 16, "kv_count"));
  if (tensor_count_ > limits::kCheckpointTensors) {
    return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
        .at(8)
        .with_subject("tensor_count")
        .with_expected("at most " + std::to_string(limits::kCheckpointTensors))
        .with_got(tensor_count_);
  }
  return next_key();
}

/// A text whose length has been read.
Status GgufReader::expect_text(ByteSpan length, uint64_t limit, const char* subject, Step step) {
  const uint64_t byte_count = load_le<uint64_t>(length.data());
  if (byte_count > limit) {
    return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
        .at(position() - 8)
        .with_subject(subject)
        .with_expected("at most " + std::to_string(limit) + " bytes")
        .with_got(byte_count);
  }
  return expect(byte_count, subject, step);
}

Status GgufReader::next_key() {
  if (keys_left_ == 0) return end_keys();
  --keys_left_;
  return expect(8, "key", &GgufReader::read_key_length);
}

Status GgufReader::read_key_length(ByteSpan bytes) {
  if (load_le<uint64_t>(bytes.data()) == 0) {
    return malformed(ErrorReason::bad_name, position() - 8, "key").with_expected("1 byte or more");
  }
  const uint64_t byte_count = load_le<uint64_t>(bytes.data());
  if (byte_count > kMaxKeyBytes) return expect_text(bytes, kMaxKeyBytes, "key", nullptr);
  // The type of the value stands after it.
  return expect(byte_count + 4, "key", &GgufReader::read_key);
}

Status GgufReader::read_key(ByteSpan bytes) {
  key_ = as_text(bytes.first(bytes.size() - 4));
  keys_.push_back(key_);
  type_ = load_le<uint32_t>(bytes.data() + bytes.size() - 4);
  if (type_ >= std::size(kValueBytes)) {
    return malformed(ErrorReason::bad_metadata, position() - 4, key_)
        .with_expected("a type of 0 to 12")
        .with_got(type_);
  }
  if (type_ == kText) return expect(8, "value", &GgufReader::read_text_length);
  if (type_ == kArray) return expect(12, "value", &GgufReader::read_array_header);
  return expect(kValueBytes[type_], "value", &GgufReader::read_number);
}

Status GgufReader::read_number(ByteSpan bytes) {
  const uint64_t offset = position() - bytes.size();
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  if (type_ == kBool && value > 1) {
    return malformed(ErrorReason::bad_metadata, offset, key_)
        .with_expected("0 or 1")
        .with_got(value);
  }
  if (JsonWriter* json = shown_key()) write_gguf_number(*json, type_, value);
  if (!kIsInteger[type_]) return next_key();
  if (key_ == "general.alignment") {
    const bool is_power = value != 0 && (value & (value - 1)) == 0;
    if (!is_power || value % 8 != 0 || value > kMaxTextBytes) {
      return malformed(ErrorReason::bad_metadata, offset, key_)
          .with_expected("a power of two, at least 8")
          .with_got(value);
    }
    alignment_ = value;
  } else if (key_ == "general.quantization_version" && value != kBlockVersion) {
    return make_error(ErrorCode::unsupported_version, ErrorReason::version)
        .at(offset)
        .with_subject(key_)
        .with_expected(kBlockVersion)
        .with_got(value);
  } else if (is_head_count(key_) || key_ == "whisper.encoder.context_length") {
    if (value == 0 || value > 0x7FFFFFFF) {
      return malformed(ErrorReason::bad_metadata, offset, key_)
          .with_expected("1 to 2147483647")
          .with_got(value);
    }
    const uint32_t count = static_cast<uint32_t>(value);
    if (!is_head_count(key_)) {
      stated_.n_audio_ctx = count;
    } else if (is_of_encoder(key_)) {
      stated_.n_audio_head = count;
    } else if (is_of_decoder(key_)) {
      stated_.n_text_head = count;
    }
  }
  return next_key();
}

Status GgufReader::read_text_length(ByteSpan bytes) {
  if (key_ == "general.architecture") {
    return expect_text(bytes, kMaxKeyBytes, "value", &GgufReader::read_text);
  }
  const uint64_t byte_count = load_le<uint64_t>(bytes.data());
  if (byte_count > kMaxTextBytes) return expect_text(bytes, kMaxTextBytes, "value", nullptr);
  if (byte_count <= kShownGgufTextBytes || (shows_all_ && has_room_for(byte_count))) {
    return expect(byte_count, "value", &GgufReader::read_shown_text);
  }
  if (byte_count > left()) return truncated(key_, byte_count, left());
  if (JsonWriter* json = shown_key()) write_length(*json, byte_count);
  return pass_over(byte_count, &GgufReader::end_value);
}

Status GgufReader::read_shown_text(ByteSpan bytes) {
  if (JsonWriter* json = shown_key()) {
    json->value(std::string_view(replace_invalid_utf8(as_text(bytes))));
  }
  return end_value();
}

/// Where the key's value is written, if anything more is shown.
JsonWriter* GgufReader::shown_key() {
  if (room() == 0) return nullptr;
  return &checkpoint_.metadata.key(replace_invalid_utf8(key_));
}

/// How many more characters of JSON may be kept.
uint64_t GgufReader::room() const {
  const uint64_t limit = shows_all_ ? kAllGgufBytes : kShownGgufBytes;
  return limit - std::min<uint64_t>(checkpoint_.metadata.text().size(), limit);
}

/// For stored bytes, after those of the current array.
bool GgufReader::has_room_for(uint64_t byte_count) const {
  return list_.text().size() <= room() &&
         byte_count <= (room() - list_.text().size()) / kMostJsonOfByte;
}

Status GgufReader::end_value() { return type_ == kArray ? next_array_text() : next_key(); }

Status GgufReader::read_text(ByteSpan bytes) {
  if (as_text(bytes) != "whisper") {
    return make_error(ErrorCode::unsupported_feature, ErrorReason::model)
        .at(position() - bytes.size())
        .with_subject(key_)
        .with_expected("whisper")
        .with_got(as_text(bytes));
  }
  return read_shown_text(bytes);
}

Status GgufReader::read_array_header(ByteSpan bytes) {
  const uint64_t offset = position() - bytes.size();
  const uint32_t type = load_le<uint32_t>(bytes.data());
  const uint64_t count = load_le<uint64_t>(bytes.data() + 4);
  if (type == kArray) {
    return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported)
        .at(offset)
        .with_subject(key_)
        .with_expected("an array of values")
        .with_got("an array of arrays");
  }
  if (type >= std::size(kValueBytes)) {
    return malformed(ErrorReason::bad_metadata, offset, key_)
        .with_expected("a type of 0 to 12")
        .with_got(type);
  }
  const uint64_t element_bytes = type == kText ? 8 : kValueBytes[type];
  const auto byte_count = checked_multiply(count, element_bytes);
  if (!byte_count || *byte_count > kMaxTextBytes) {
    return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
        .at(offset + 4)
        .with_subject(key_)
        .with_expected("at most " + std::to_string(kMaxTextBytes) + " bytes")
        .with_got(count);
  }
  if (*byte_count > left()) return truncated(key_, *byte_count, left());
  element_type_ = type;
  array_count_ = array_left_ = count;
  is_listed_ = shows_all_ && has_room_for(*byte_count);
  if (is_listed_) {
    list_.begin_array();
  } else {
    drop_list();
  }
  if (type == kText) return next_array_text();
  if (is_listed_) return expect(*byte_count, "value", &GgufReader::read_numbers);
  return pass_over(*byte_count, &GgufReader::next_key);
}

Status GgufReader::read_numbers(ByteSpan bytes) {
  const size_t size = kValueBytes[element_type_];
  for (size_t at = 0; at < bytes.size(); at += size) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, size);
    write_gguf_number(list_, element_type_, value);
  }
  return end_array();
}

/// The array is shown by its length.
void GgufReader::drop_list() {
  is_listed_ = false;
  list_ = JsonWriter();
  if (JsonWriter* json = shown_key()) write_length(*json, array_count_);
}

Status GgufReader::end_array() {
  if (is_listed_) {
    list_.end_array();
    if (JsonWriter* json = shown_key()) json->json(list_.text());
  }
  is_listed_ = false;
  list_ = JsonWriter();
  return next_key();
}

void GgufReader::list_text(ByteSpan bytes) {
  if (!is_listed_) return;
  if (has_room_for(bytes.size())) {
    list_.value(std::string_view(replace_invalid_utf8(as_text(bytes))));
  } else {
    drop_list();
  }
}

Status GgufReader::next_array_text() {
  if (array_left_ == 0) return end_array();
  --array_left_;
  return expect(8, "value", &GgufReader::read_array_text_length);
}

Status GgufReader::read_array_text_length(ByteSpan bytes) {
  if (is_tokens()) return expect_text(bytes, kMaxTokenBytes, "token", &GgufReader::read_token);
  const uint64_t byte_count = load_le<uint64_t>(bytes.data());
  if (byte_count > kMaxTextBytes) return expect_text(bytes, kMaxTextBytes, "value", nullptr);
  if (byte_count > left()) return truncated(key_, byte_count, left());
  if (is_listed_ && has_room_for(byte_count)) {
    return expect(byte_count, "value", &GgufReader::read_listed_text);
  }
  if (is_listed_) drop_list();
  return pass_over(byte_count, &GgufReader::end_value);
}

Status GgufReader::read_listed_text(ByteSpan bytes) {
  list_text(bytes);
  return next_array_text();
}

Status GgufReader::read_token(ByteSpan bytes) {
  list_text(bytes);
  token_bytes_.insert(token_bytes_.end(), bytes.begin(), bytes.end());
  token_ends_.push_back(static_cast<uint32_t>(token_bytes_.size()));
  return next_array_text();
}

Status GgufReader::end_keys() {
  NameIndex index;
  for (uint32_t i = 0; i < keys_.size(); ++i) index.add(keys_[i], i);
  index.sort();
  if (const auto* twice = index.duplicate()) {
    return malformed(ErrorReason::duplicate, kHeaderBytes, twice->name)
        .with_expected("each key once");
  }
  return next_tensor();
}

Status GgufReader::next_tensor() {
  if (entries_.size() == tensor_count_) return end_index();
  return expect(8, "tensor name", &GgufReader::read_tensor_name_length);
}

Status GgufReader::read_tensor_name_length(ByteSpan bytes) {
  const uint64_t byte_count = load_le<uint64_t>(bytes.data());
  if (byte_count == 0 || byte_count > kMaxNameBytes) {
    return malformed(ErrorReason::bad_name, position() - 8, "tensor name")
        .with_expected("1 to 63 bytes")
        .with_got(byte_count);
  }
  return expect(byte_count + 4, "tensor name", &GgufReader::read_tensor_name);
}

Status GgufReader::read_tensor_name(ByteSpan bytes) {
  Entry& entry = entries_.emplace_back();
  entry.tensor.info.name = as_text(bytes.first(bytes.size() - 4));
  if (!is_plain_text(entry.tensor.info.name)) {
    return malformed(ErrorReason::bad_name, position() - bytes.size(), "tensor name")
        .with_expected("UTF-8 without control characters");
  }
  n_dims_ = load_le<uint32_t>(bytes.data() + bytes.size() - 4);
  if (n_dims_ == 0 || n_dims_ > kMaxDims) {
    return malformed(ErrorReason::bad_shape, position() - 4, entry.tensor.info.name)
        .with_expected("1 to 4 dimensions")
        .with_got(n_dims_);
  }
  return expect(uint64_t{n_dims_} * 8 + 12, "tensor", &GgufReader::read_tensor_shape);
}

Status GgufReader::read_tensor_shape(ByteSpan bytes) {
  const uint64_t offset = position() - bytes.size();
  Entry& entry = entries_.back();
  ByteCursor cursor(bytes);
  uint64_t dims[kMaxDims] = {};
  for (uint32_t i = 0; i < n_dims_; ++i) dims[i] = cursor.u64();
  TensorInfo& info = entry.tensor.info;
  SUSURRUS_ASSIGN_OR_RETURN(const Dtype dtype,
                            ggml_dtype(cursor.u32(), offset + uint64_t{n_dims_} * 8, info.name));
  SUSURRUS_RETURN_IF_ERROR(set_ggml_shape(std::span(dims, n_dims_), dtype, offset, info));
  entry.offset = cursor.u64();
  entry.offset_field = position() - 8;
  return next_tensor();
}

Status GgufReader::end_index() {
  NameIndex names;
  for (uint32_t i = 0; i < entries_.size(); ++i) names.add(entries_[i].tensor.info.name, i);
  names.sort();
  if (const auto* twice = names.duplicate()) {
    return malformed(ErrorReason::duplicate, entries_[twice->place].offset_field, twice->name)
        .with_expected("each tensor once");
  }
  const uint64_t data = align_up(position(), alignment_);
  const uint64_t data_byte_count = file_byte_count() - std::min(data, file_byte_count());
  uint64_t next = 0;
  bool has_blocks = false;
  for (Entry& entry : entries_) {
    TensorInfo& info = entry.tensor.info;
    // One after the other, each at the next multiple of the alignment.
    if (entry.offset != next) {
      return malformed(ErrorReason::layout, entry.offset_field, info.name)
          .with_expected(next)
          .with_got(entry.offset);
    }
    if (next > data_byte_count || info.stored_byte_count > data_byte_count - next) {
      return susurrus::truncated(data + next, info.name)
          .with_expected(info.stored_byte_count)
          .with_got(data_byte_count - std::min(next, data_byte_count));
    }
    info.file_offset = data + next;
    next = align_up(next + info.stored_byte_count, alignment_);
    has_blocks = has_blocks || is_block_dtype(info.dtype);
    checkpoint_.tensors.push_back(std::move(entry.tensor));
  }
  bool has_block_version = false;
  for (const std::string& key : keys_) {
    has_block_version = has_block_version || key == "general.quantization_version";
  }
  if (has_blocks && !has_block_version) {
    checkpoint_.warnings.emplace_back(
        "general.quantization_version is absent; blocks of version 2 are assumed");
  }
  SUSURRUS_ASSIGN_OR_RETURN(checkpoint_.dimensions,
                            dimensions_of_shapes(checkpoint_.tensors, stated_));
  // Control tokens after the ordinary ones follow from the official rules; less is not a vocabulary.
  const uint64_t needed = std::min<uint64_t>(kEnglishTextTokens, checkpoint_.dimensions->n_vocab);
  if (token_ends_.size() >= needed) {
    checkpoint_.vocabulary = VocabularyBytes(std::move(token_bytes_), std::move(token_ends_));
  } else if (!token_ends_.empty()) {
    checkpoint_.warnings.emplace_back("tokenizer.ggml.tokens is incomplete and is left out");
  }
  return complete();
}

}  // namespace susurrus
