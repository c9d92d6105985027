#include "container/checkpoint_describer.h"

#include "base/utf8.h"
#include "container/apr2/apr2_metadata.h"
#include "container/read_error.h"

namespace susurrus {
Status CheckpointDescriber::push(ByteSpan chunk) {
  if (!reader_) {
    if (!file_byte_count_) {
      return make_error(ErrorCode::layout_not_streamable, ErrorReason::layout)
          .at(0)
          .with_subject("file")
          .with_expected("a source whose length is known");
    }
    SUSURRUS_ASSIGN_OR_RETURN(reader_, open_checkpoint(chunk, *file_byte_count_));
    if (shows_all_) reader_->show_all();
  }
  received_ += chunk.size();
  return reader_->push(chunk);
}

uint64_t CheckpointDescriber::skippable() const {
  if (!reader_ || received_ > *file_byte_count_) return 0;
  return reader_->is_complete() ? *file_byte_count_ - received_ : reader_->skippable();
}

void CheckpointDescriber::skip(uint64_t byte_count) {
  if (!reader_) return;
  received_ += byte_count;
  if (!reader_->is_complete()) reader_->skip(byte_count);
}

Status CheckpointDescriber::finish() {
  if (!reader_) SUSURRUS_RETURN_IF_ERROR(push({}));
  SUSURRUS_RETURN_IF_ERROR(reader_->finish());
  if (received_ == *file_byte_count_) return ok_status();
  return truncated(received_, "file").with_expected(*file_byte_count_).with_got(received_);
}

std::string CheckpointDescriber::facts() const {
  const Checkpoint& checkpoint = reader_->checkpoint();
  JsonWriter json;
  json.begin_object()
      .field("format", checkpoint.format)
      .field("version", std::string_view(checkpoint.version))
      .field("flags", "")
      .field("byteCount", received_)
      .field("warnings", std::span<const std::string>(checkpoint.warnings));
  if (checkpoint.dimensions) json.key("dims").json(architecture_text(*checkpoint.dimensions));
  json.key("metadata").begin_object();
  if (!checkpoint.metadata.text().empty()) json.json(checkpoint.metadata.text());
  const uint32_t token_count = checkpoint.vocabulary.token_count();
  if (token_count > 0) {
    json.key("vocabulary").begin_object().field("length", token_count).end_object();
  }
  const size_t filterbank = checkpoint.mel_filterbank.byte_count() / sizeof(float);
  if (filterbank > 0) {
    json.key("mel_filterbank").begin_object().field("length", uint64_t{filterbank}).end_object();
    const uint64_t n_mels = checkpoint.dimensions ? checkpoint.dimensions->n_mels : 1;
    json.key("mel_filterbank_shape").begin_array();
    json.value(n_mels).value(filterbank / n_mels).end_array();
  }
  json.end_object().key("tensors").begin_array();
  for (const CheckpointTensor& tensor : checkpoint.tensors) {
    const TensorInfo& info = tensor.info;
    const bool is_scaled = !tensor.row_divisors.empty();
    json.begin_object()
        .field("name", std::string_view(replace_invalid_utf8(info.name)))
        .field("dtype", dtype_traits(is_scaled ? Dtype::i8 : info.dtype).name)
        .field("shape", info.shape.dims())
        .field("offset", info.file_offset)
        .field("size", info.stored_byte_count)
        .field("rawSize", info.stored_byte_count);
    if (is_scaled) json.field("rowScales", true);
    json.end_object();
  }
  return std::move(json.end_array().end_object()).text();
}

}  // namespace susurrus
