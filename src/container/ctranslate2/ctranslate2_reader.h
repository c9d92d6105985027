#pragma once
#include "container/checkpoint_reader.h"
#include "families/whisper/checkpoint_dimensions.h"

namespace susurrus {

/// One value of a model.bin: its bytes where they are few and matter, else its place.
struct CTranslate2Variable {
  std::string name;
  Shape shape;
  uint8_t type = 0;
  uint64_t offset = 0;
  uint64_t byte_count = 0;
  std::vector<uint8_t> bytes;
};

/// A model.bin as CTranslate2 writes it for faster-whisper (whisper-sources.md §10): named variables one after the other,
/// then aliases.
class CTranslate2Reader : public SteppedCheckpointReader<CTranslate2Reader> {
 public:
  using SteppedCheckpointReader::SteppedCheckpointReader;

 private:
  friend class SteppedCheckpointReader<CTranslate2Reader>;
  Status start();
  Status read_version(ByteSpan bytes);
  Status read_specification(ByteSpan bytes);
  Status next_variable();
  Status read_name_length(ByteSpan bytes);
  Status read_name(ByteSpan bytes);
  Status read_shape(ByteSpan bytes);
  Status read_kept_bytes(ByteSpan bytes);
  Status read_alias_count(ByteSpan bytes);
  Status next_alias_text();
  Status read_alias_length(ByteSpan bytes);
  Status read_alias_text(ByteSpan bytes);

  uint32_t variable_count_ = 0;
  uint64_t alias_texts_left_ = 0;
  std::vector<CTranslate2Variable> variables_;
};

/// The variables as Whisper's tensors, and what the scalars say about heads. Errors are the reader's.
Status map_ctranslate2_variables(std::span<const CTranslate2Variable> variables,
                                 Checkpoint& checkpoint);

/// Bytes of an element of a type by CTranslate2's number; 0 for a number that does not exist.
uint32_t ctranslate2_type_bytes(uint8_t type);
/// Whether variables of such a name are read at once: scalars, and the scales of rows.
bool is_ctranslate2_setting(const CTranslate2Variable& variable);

}  // namespace susurrus
