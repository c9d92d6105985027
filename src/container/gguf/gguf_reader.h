#pragma once
#include "container/checkpoint_reader.h"
#include "families/whisper/checkpoint_dimensions.h"

namespace susurrus {

/// GGUF, versions 2 and 3, with Whisper's tensors by OpenAI's or Hugging Face's names (whisper-sources.md §8): keys, then
/// the index, then weights. No reference says which keys a Whisper has, so that its shapes tell the dimensions; keys say how
/// many heads there are, and may hold the vocabulary.
class GgufReader : public SteppedCheckpointReader<GgufReader> {
 public:
  using SteppedCheckpointReader::SteppedCheckpointReader;

 private:
  friend class SteppedCheckpointReader<GgufReader>;
  /// The place of a tensor is known when all of the index is.
  struct Entry {
    CheckpointTensor tensor;
    uint64_t offset = 0;        // as the file has it
    uint64_t offset_field = 0;  // where that stands
  };

  Status start();
  Status read_header(ByteSpan bytes);
  Status next_key();
  Status read_key_length(ByteSpan bytes);
  Status read_key(ByteSpan bytes);
  Status read_number(ByteSpan bytes);
  Status end_value();
  Status read_text_length(ByteSpan bytes);
  Status read_text(ByteSpan bytes);
  Status read_shown_text(ByteSpan bytes);
  Status read_array_header(ByteSpan bytes);
  Status read_numbers(ByteSpan bytes);
  Status next_array_text();
  Status read_listed_text(ByteSpan bytes);
  Status end_array();
  Status read_array_text_length(ByteSpan bytes);
  Status read_token(ByteSpan bytes);
  Status end_keys();
  Status next_tensor();
  Status read_tensor_name_length(ByteSpan bytes);
  Status read_tensor_name(ByteSpan bytes);
  Status read_tensor_shape(ByteSpan bytes);
  Status end_index();

  Status expect_text(ByteSpan length, uint64_t limit, const char* subject, Step step);
  JsonWriter* shown_key();
  uint64_t room() const;
  bool has_room_for(uint64_t byte_count) const;
  void list_text(ByteSpan bytes);
  void drop_list();
  bool is_tokens() const { return key_ == "tokenizer.ggml.tokens"; }

  uint64_t tensor_count_ = 0;
  uint64_t keys_left_ = 0;
  std::vector<std::string> keys_;
  std::string key_;
  uint32_t type_ = 0;
  uint32_t element_type_ = 0;
  uint64_t array_count_ = 0;
  uint64_t array_left_ = 0;
  // The array's values, while all of them are to be shown.
  bool is_listed_ = false;
  JsonWriter list_;
  uint64_t alignment_ = 32;
  DeclaredDimensions stated_;
  std::vector<uint8_t> token_bytes_;
  std::vector<uint32_t> token_ends_;
  std::vector<Entry> entries_;
  uint32_t n_dims_ = 0;
};

}  // namespace susurrus
