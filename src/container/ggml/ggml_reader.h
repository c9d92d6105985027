#pragma once
#include "base/name_index.h"
#include "container/checkpoint_reader.h"
#include "families/whisper/whisper_tensors.h"

namespace susurrus {

/// ggml .bin as whisper.cpp writes it (whisper-sources.md §6): dimensions, filterbank, vocabulary, then tensors up to the
/// end, each after a header of its own.
class GgmlReader : public SteppedCheckpointReader<GgmlReader> {
 public:
  using SteppedCheckpointReader::SteppedCheckpointReader;

 private:
  friend class SteppedCheckpointReader<GgmlReader>;
  Status start();
  Status read_header(ByteSpan bytes);
  static Status check_type(uint32_t file_type);
  Status read_filterbank_size(ByteSpan bytes);
  Status read_filterbank(ByteSpan bytes);
  Status read_token_count(ByteSpan bytes);
  Status next_token();
  Status read_token_length(ByteSpan bytes);
  Status read_token(ByteSpan bytes);
  Status end_vocabulary();
  Status next_tensor();
  Status read_tensor_header(ByteSpan bytes);
  Status read_tensor(ByteSpan bytes);

  uint32_t token_count_ = 0;
  std::vector<uint8_t> token_bytes_;
  std::vector<uint32_t> token_ends_;
  std::vector<WantedTensor> known_;
  NameIndex known_index_;
  std::vector<bool> seen_;  // of the known ones
  uint32_t n_dims_ = 0;
  uint32_t type_ = 0;
};

}  // namespace susurrus
