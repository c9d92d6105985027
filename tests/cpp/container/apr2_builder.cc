#include "container/apr2_builder.h"

#include <lz4.h>
#include <zlib.h>

#include <algorithm>

#include "families/whisper/whisper_tensors.h"

namespace susurrus::testing {
namespace {

void align(Bytes& out, uint8_t padding) {
  while (out.size() % 64 != 0) out.push_back(padding);
}

}  // namespace

Bytes Apr2Builder::build() const {
  Bytes index;
  append_number<uint32_t>(index, tensor_count < 0 ? tensors.size() : tensor_count);
  append_number<uint32_t>(index, reserved);
  uint64_t next = 0;
  for (const BuiltTensor& tensor : tensors) {
    append_number<uint16_t>(index, tensor.name.size());
    append_text(index, tensor.name);
    append_number<uint8_t>(index, tensor.dtype);
    append_number<uint8_t>(index, tensor.dims.size());
    for (uint64_t dim : tensor.dims) append_number(index, dim);
    append_number<uint64_t>(index, tensor.offset < 0 ? next : static_cast<uint64_t>(tensor.offset));
    append_number<uint64_t>(
        index, tensor.size < 0 ? tensor.stored.size() : static_cast<uint64_t>(tensor.size));
    append_number(index, tensor.raw_size);
    append_number<uint32_t>(index, 0);
    next = (next + tensor.stored.size() + 63) / 64 * 64;
  }
  index.insert(index.end(), index_tail.begin(), index_tail.end());

  const uint32_t index_offset = static_cast<uint32_t>(32 + metadata.size());
  const uint32_t data_offset = static_cast<uint32_t>((index_offset + index.size() + 63) / 64 * 64);
  Bytes file;
  append_text(file, "APR2");
  append_number(file, version_major);
  append_number(file, version_minor);
  append_number(file, flags);
  append_number<uint32_t>(file, 32);
  append_number<uint32_t>(file, metadata.size());
  append_number(file, index_offset);
  append_number<uint32_t>(file, index.size());
  append_number(file, data_offset);
  if (edit_header) edit_header(file);
  append_text(file, metadata);
  file.insert(file.end(), index.begin(), index.end());
  align(file, padding);
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (i > 0) align(file, padding);
    file.insert(file.end(), tensors[i].stored.begin(), tensors[i].stored.end());
  }
  file.resize(file.size() + gap_bytes);
  append_footer(file);
  if (edit_file) {
    edit_file(file);
    fix_crc(file);
  }
  return file;
}

void append_footer(Bytes& file) {
  const uint32_t crc = static_cast<uint32_t>(crc32(0, file.data(), static_cast<uInt>(file.size())));
  append_number(file, crc);
  append_text(file, "2RPA");
  append_number<uint64_t>(file, file.size() + 8);
}

void fix_crc(Bytes& file) {
  const size_t covered = file.size() - 16;
  store_le(file.data() + covered,
           static_cast<uint32_t>(crc32(0, file.data(), static_cast<uInt>(covered))));
}

std::string tiny_metadata() {
  return R"({"apr_version":"2.0.0","model_type":"whisper","architecture":{"n_vocab":51865,)"
         R"("n_audio_ctx":1500,"n_text_ctx":448,"n_mels":80,"n_audio_layer":4,"n_text_layer":4,)"
         R"("n_audio_head":6,"n_text_head":6,"n_audio_state":384,"n_text_state":384}})";
}

Apr2Builder whisper_builder(uint8_t matrix_dtype, bool compress) {
  WhisperDimensions d;
  d.n_vocab = 5;
  d.n_audio_ctx = 6;
  d.n_text_ctx = 4;
  d.n_mels = 8;
  d.n_audio_layer = 1;
  d.n_text_layer = 1;
  d.n_audio_head = 2;
  d.n_text_head = 2;
  d.n_audio_state = 32;
  d.n_text_state = 32;
  Apr2Builder builder;
  builder.metadata =
      R"({"apr_version":"2.0.0","model_type":"whisper","architecture":{"n_vocab":5,"n_audio_ctx":6,)"
      R"("n_text_ctx":4,"n_mels":8,"n_audio_layer":1,"n_text_layer":1,"n_audio_head":2,)"
      R"("n_text_head":2,"n_audio_state":32,"n_text_state":32},"vocab":["a","\u0120b","\u00c3","",)"
      R"("<|endoftext|>"],"tokenizer_config":{"vocab_encoding":"gpt2-bytes"}})";
  builder.flags = 0x82 | (compress ? 0x01 : 0) | (matrix_dtype >= 16 ? 0x40 : 0);
  uint32_t seed = 1;
  for (const WantedTensor& wanted : whisper_tensors(d)) {
    BuiltTensor tensor;
    tensor.name = wanted.name;
    tensor.dims.assign(wanted.shape.dims().begin(), wanted.shape.dims().end());
    const bool is_matrix =
        wanted.shape.rank() == 2 && !wanted.name.ends_with("positional_embedding");
    tensor.dtype = is_matrix ? matrix_dtype : 0;
    const uint64_t raw = *tensor_byte_count(*dtype_from_number(tensor.dtype), wanted.shape);
    Bytes bytes(raw);
    for (uint8_t& byte : bytes) {
      seed = seed * 1664525 + 1013904223;
      byte = static_cast<uint8_t>((seed >> 24) & 0x13);  // repeats enough to shrink
    }
    if (compress) {
      tensor.stored = lz4_stream(bytes);
      tensor.raw_size = raw;
      if (tensor.stored.size() >= raw) {
        tensor.stored = bytes;
        tensor.raw_size = 0;
      }
    } else {
      tensor.stored = bytes;
    }
    builder.tensors.push_back(std::move(tensor));
  }
  return builder;
}

Bytes lz4_stream(const Bytes& raw) {
  Bytes stream;
  for (size_t begin = 0; begin < raw.size(); begin += 65536) {
    const size_t count = std::min<size_t>(65536, raw.size() - begin);
    Bytes block(65809);
    const int stored = LZ4_compress_default(
        reinterpret_cast<const char*>(raw.data() + begin), reinterpret_cast<char*>(block.data()),
        static_cast<int>(count), static_cast<int>(block.size()));
    append_number<uint32_t>(stream, static_cast<uint32_t>(stored));
    stream.insert(stream.end(), block.begin(), block.begin() + stored);
  }
  return stream;
}

}  // namespace susurrus::testing
