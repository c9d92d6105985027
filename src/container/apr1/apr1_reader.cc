#include "container/apr1/apr1_reader.h"

#include <algorithm>
#include <cmath>

#include "container/apr1/apr1_vocabulary.h"
#include "container/detect.h"
#include "container/read_error.h"
#include "facts/whisper.h"
#include "families/whisper/tensor_names.h"
#include "stream/crc32_text.h"

namespace susurrus {
namespace {

constexpr size_t kSizeFieldBytes = 4;
constexpr size_t kFilterbankHeaderBytes = 12;
/// The limit for a filterbank that fits no Whisper: it can only be inspected.
constexpr uint32_t kLargestFilterbankSide = 1024;

constexpr std::string_view kCorruptVocabulary =
    "the vocabulary was decoded wrongly by the program that wrote the file and is not used: give "
    "another (--vocabulary FILE)";

}  // namespace

Error apr1_too_long(uint64_t offset, const char* subject, uint64_t limit, uint64_t byte_count) {
  return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
      .at(offset)
      .with_subject(subject)
      .with_expected(limit)
      .with_got(byte_count);
}

Apr1Reader::Apr1Reader(ModelSink& sink, Apr1Layout layout) : sink_(sink), layout_(layout) {
  switch (layout) {
    case Apr1Layout::json: break;  // json() goes on
    case Apr1Layout::padded:
      parser_.expect(kApr1PaddedBytes, "header", &Apr1Reader::on_header);
      break;
    case Apr1Layout::binary:
      parser_.expect(kApr1HeaderBytes, "header", &Apr1Reader::on_header);
      break;
  }
}

Status Apr1Reader::push(ByteSpan chunk) {
  if (failed_ || finished_) {
    return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state)
        .with_subject("reader");
  }
  received_ += chunk.size();
  tail_.push(chunk, [this](ByteSpan left) { crc_.update(left); });
  if (auto status = parser_.push(*this, chunk); !status) return fail(status.error());
  return ok_status();
}

uint64_t Apr1Reader::skippable() const {
  const bool is_in_tensors = skims_ && known_byte_count_ && stage_ == Stage::data && !failed_;
  return is_in_tensors ? parser_.streaming() : 0;
}

void Apr1Reader::skip(uint64_t byte_count) {
  if (byte_count == 0) return;
  parser_.leave_out(byte_count);
  received_ += byte_count;
  tail_ = {};
}

Status Apr1Reader::fail(Error error) {
  failed_ = true;
  return error;
}

/// Whether a part that ends at `end` lies in a file of known length.
Status Apr1Reader::check_size(uint64_t end) const {
  if (!known_byte_count_ || end <= *known_byte_count_) return ok_status();
  return ended_early().at(*known_byte_count_);
}

void Apr1Reader::section(const char* name, uint64_t begin, uint64_t end) {
  sink_.on_section({name, begin, end - begin});
}

Status Apr1Reader::on_header(ByteSpan bytes) {
  SUSURRUS_ASSIGN_OR_RETURN(header_, parse_apr1_header(bytes, layout_));
  std::memcpy(header_bytes_, bytes.data(), kApr1HeaderBytes);
  header_end_ = parser_.position();
  stage_ = Stage::index;
  if (header_.tensor_count == 0) {
    if (known_byte_count_) return no_tensors(*known_byte_count_);
    wait_for_end();
    return ok_status();
  }
  uint64_t index_bytes = header_.tensor_count * kApr1EntryBytes;
  SUSURRUS_RETURN_IF_ERROR(check_size(header_end_ + index_bytes));
  if (header_.quantization == Apr1Quantization::int8) {
    stage_ = Stage::scales;
    index_bytes += header_.tensor_count * kApr1ScaleBytes;
    SUSURRUS_RETURN_IF_ERROR(check_size(header_end_ + index_bytes));
  }
  parser_.expect(index_bytes, "tensor index", &Apr1Reader::on_index);
  return ok_status();
}

Status Apr1Reader::on_index(ByteSpan bytes) {
  SUSURRUS_RETURN_IF_ERROR(parse_apr1_index(bytes, header_, header_end_, index_));
  metadata_.model_type.assign("whisper");
  metadata_.family.emplace<WhisperMetadata>().dimensions = header_.dimensions;
  metadata_.vocabulary_follows = true;
  if (layout_ == Apr1Layout::padded) {
    sink_.on_warning("an APR file of an intermediate layout, read as APR1");
  }
  if (header_.model_type >= kApr1ModelTypes) sink_.on_warning("model_type is not known");
  return take_index();
}

Status Apr1Reader::take_index() {
  stage_ = Stage::data;
  if (index_.gap) {
    if (known_byte_count_) return apr1_gap_error(index_, *known_byte_count_);
    wait_for_end();
    return ok_status();
  }
  const uint64_t begin = parser_.position();
  uint64_t end = begin;
  for (const TensorInfo& tensor : index_.tensors) end += tensor.stored_byte_count;
  SUSURRUS_RETURN_IF_ERROR(check_size(end));
  if (layout_ != Apr1Layout::json) {
    SUSURRUS_RETURN_IF_ERROR(trust_shapes());
    const uint64_t scales = header_end_ + header_.tensor_count * kApr1EntryBytes;
    section("header", 0, header_end_);
    section("index", header_end_, scales);
    if (scales < begin) section("scales", scales, begin);
  }
  section("tensors", begin, end);
  const std::pair<bool, const char*> warnings[] = {
      {index_.has_raw_streams, "compressed is set over raw data"},
      {index_.has_wide_halves, "tensors are f32 where the header says f16"},
      {index_.has_cut_names, "names that were cut at 47 bytes are completed"},
      {index_.has_reserved_bytes, "reserved bytes are not zero"},
  };
  for (const auto& [is_said, text] : warnings) {
    if (is_said) sink_.on_warning(text);
  }

  ModelManifest manifest;
  manifest.format = layout_ == Apr1Layout::json ? "APR1-JSON" : "APR1";
  manifest.version_major = layout_ == Apr1Layout::padded ? 2 : 1;
  manifest.flags = header_.flags;
  manifest.metadata_text = metadata_text_;
  if (layout_ != Apr1Layout::json) manifest.header = header_bytes_;
  manifest.metadata = &metadata_;
  manifest.tensors = index_.tensors;
  SUSURRUS_RETURN_IF_ERROR(sink_.on_manifest(manifest));
  metadata_text_ = std::string();
  if (skims_) {
    current_ = index_.tensors.size();
    parser_.stream(end - begin, &Apr1Reader::on_rest, &Apr1Reader::next_tensor);
    return ok_status();
  }
  return next_tensor();
}

/// The header of one large model describes another one (apr.md §7.1).
Status Apr1Reader::trust_shapes() {
  WhisperDimensions& d = metadata_.whisper()->dimensions;
  for (const TensorInfo& tensor : index_.tensors) {
    const std::string name = canonical_tensor_name(tensor.name);
    const bool is_embedding = name == "decoder.token_embedding.weight";
    if (!is_embedding && name != "encoder.conv1.weight") continue;
    const Shape& shape = tensor.shape;
    if (is_embedding && d.n_vocab == kMultilingualVocabulary && shape[0] == kCantoneseVocabulary) {
      d.n_vocab = kCantoneseVocabulary;
      sink_.on_warning("n_vocab is 51865 in the header; the tensors' 51866 counts");
    }
    if (is_embedding || shape.rank() != 3) continue;
    if (d.n_mels == 80 && shape[1] == 128) {
      d.n_mels = 128;
      sink_.on_warning("n_mels is 80 in the header; the tensors' 128 counts");
    }
    input_channels_ = static_cast<uint32_t>(shape[1]);
  }
  return ok_status();
}

Status Apr1Reader::next_tensor() {
  if (current_ < index_.tensors.size()) {
    placed_ = false;
    parser_.stream(index_.tensors[current_].stored_byte_count, &Apr1Reader::on_tensor,
                   &Apr1Reader::on_tensor_end);
    return ok_status();
  }
  if ((header_.flags & apr1_flags::kVocabulary) == 0) return start_filterbank();
  stage_ = Stage::vocabulary_size;
  parser_.expect(kSizeFieldBytes, "vocabulary", &Apr1Reader::on_vocabulary_size);
  return ok_status();
}

Status Apr1Reader::place(const TensorInfo& tensor) {
  SUSURRUS_ASSIGN_OR_RETURN(destination_, sink_.place_tensor(tensor));
  if (!destination_.empty() && destination_.size() != tensor.raw_byte_count) {
    return make_error(ErrorCode::internal_error, ErrorReason::internal).with_subject(tensor.name);
  }
  written_ = 0;
  placed_ = true;
  if (!tensor.is_compressed) return ok_status();
  if (destination_.empty()) {
    return lz4_.start_verifying(tensor.raw_byte_count, tensor.stored_byte_count, tensor.file_offset,
                                tensor.name);
  }
  lz4_.start(destination_, tensor.stored_byte_count, tensor.file_offset, tensor.name);
  return ok_status();
}

Status Apr1Reader::on_tensor(ByteSpan bytes) {
  const TensorInfo& tensor = index_.tensors[current_];
  if (!placed_) SUSURRUS_RETURN_IF_ERROR(place(tensor));
  if (tensor.is_compressed) return lz4_.push(bytes);
  if (destination_.empty()) return ok_status();
  std::memcpy(destination_.data() + written_, bytes.data(), bytes.size());
  written_ += bytes.size();
  return ok_status();
}

Status Apr1Reader::on_tensor_end() {
  const TensorInfo& tensor = index_.tensors[current_];
  if (!placed_) SUSURRUS_RETURN_IF_ERROR(place(tensor));
  if (tensor.is_compressed) SUSURRUS_RETURN_IF_ERROR(lz4_.finish());
  sink_.on_tensor_complete(tensor);
  ++current_;
  return next_tensor();
}

Status Apr1Reader::on_vocabulary_size(ByteSpan bytes) {
  section_byte_count_ = load_le<uint32_t>(bytes.data());
  section_begin_ = parser_.position();
  stage_ = Stage::vocabulary;
  if (known_byte_count_ && section_begin_ + section_byte_count_ > *known_byte_count_) {
    return vocabulary_error(*known_byte_count_);
  }
  if (section_byte_count_ <= limits::kMetadataBytes) {
    parser_.expect(section_byte_count_, "vocabulary", &Apr1Reader::on_vocabulary);
    return ok_status();
  }
  if (known_byte_count_) return vocabulary_error(*known_byte_count_);
  wait_for_end();
  return ok_status();
}

Status Apr1Reader::on_vocabulary(ByteSpan bytes) {
  SUSURRUS_ASSIGN_OR_RETURN(
      vocabulary_,
      parse_apr1_vocabulary(bytes, metadata_.whisper()->dimensions.n_vocab, section_begin_));
  section("vocabulary", section_begin_ - kSizeFieldBytes, parser_.position());
  if (is_corrupt_apr1_vocabulary(vocabulary_)) {
    vocabulary_ = VocabularyBytes();
    sink_.on_warning(kCorruptVocabulary);
  } else if (vocabulary_.token_count() < metadata_.whisper()->dimensions.n_vocab) {
    sink_.on_warning("the vocabulary has fewer entries than n_vocab");
  }
  return start_filterbank();
}

Status Apr1Reader::start_filterbank() {
  stage_ = Stage::checksum;
  section_begin_ = parser_.position();
  if ((header_.flags & apr1_flags::kFilterbank) == 0) {
    wait_for_end();
    return ok_status();
  }
  stage_ = Stage::filterbank;
  parser_.expect(kFilterbankHeaderBytes, "filterbank", &Apr1Reader::on_filterbank_header);
  return ok_status();
}

Status Apr1Reader::on_filterbank_header(ByteSpan bytes) {
  section_byte_count_ = load_le<uint32_t>(bytes.data());
  const uint32_t n_mels = load_le<uint32_t>(bytes.data() + 4);
  const uint32_t n_freqs = load_le<uint32_t>(bytes.data() + 8);
  const uint64_t data_bytes = uint64_t{section_byte_count_} - 2 * sizeof(uint32_t);
  const auto bad = [&] {
    return malformed(ErrorReason::bad_filterbank, section_begin_, "filterbank");
  };
  if (section_byte_count_ < 2 * sizeof(uint32_t) || data_bytes % sizeof(float) != 0 ||
      data_bytes / sizeof(float) != uint64_t{n_mels} * n_freqs) {
    return bad()
        .with_expected("8 bytes and 4 for each of n_mels × n_freqs")
        .with_got(section_byte_count_);
  }
  if (input_channels_) {
    const bool is_whispers = n_mels == 80 || n_mels == 128;
    if (n_mels != *input_channels_ || !is_whispers) {
      return bad()
          .with_expected("80 or 128 mel bands, as encoder.conv1.weight has")
          .with_got(n_mels);
    }
    if (n_freqs != kFrequencyBins) return bad().with_expected(kFrequencyBins).with_got(n_freqs);
  }
  if (n_mels > kLargestFilterbankSide || n_freqs > kLargestFilterbankSide) {
    return bad().with_expected("at most 1024 rows and columns").with_got(std::max(n_mels, n_freqs));
  }
  parser_.expect(data_bytes, "filterbank", &Apr1Reader::on_filterbank);
  return ok_status();
}

Status Apr1Reader::on_filterbank(ByteSpan bytes) {
  SUSURRUS_ASSIGN_OR_RETURN(filterbank_, AlignedBuffer::allocate(bytes.size(), "mel_filterbank"));
  if (!bytes.empty()) std::memcpy(filterbank_.data(), bytes.data(), bytes.size());
  for (const float& weight : filterbank_.floats()) {
    if (std::isfinite(weight) && weight >= 0) continue;
    const auto index = static_cast<uint64_t>(&weight - filterbank_.floats().data());
    return malformed(ErrorReason::bad_filterbank,
                     parser_.position() - bytes.size() + index * sizeof(float), "filterbank")
        .with_expected("finite numbers that are not negative");
  }
  section("filterbank", section_begin_, parser_.position());
  section_begin_ = parser_.position();
  stage_ = Stage::checksum;
  wait_for_end();
  return ok_status();
}

Status Apr1Reader::on_rest(ByteSpan) { return ok_status(); }

Status Apr1Reader::finish() {
  if (failed_ || finished_) {
    return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state)
        .with_subject("reader");
  }
  if (auto status = check_end(); !status) return fail(status.error());
  finished_ = true;
  return ok_status();
}

Status Apr1Reader::check_end() {
  if (index_.gap) return apr1_gap_error(index_, received_);
  if (stage_ == Stage::index && header_.tensor_count == 0) return no_tensors(received_);
  if (stage_ == Stage::vocabulary) return vocabulary_error(received_);
  if (stage_ == Stage::index_size) return without_list();
  const uint64_t end = section_begin_ + kApr1CrcBytes;
  if (stage_ != Stage::checksum || received_ < end) return ended_early().at(received_);
  const uint64_t bytes_behind = received_ - end;
  if (bytes_behind != 0 && bytes_behind != kApr1TailBytes) {
    return malformed(ErrorReason::trailing_data, end, "file")
        .with_expected(end)
        .with_got(received_);
  }
  if (!skims_) SUSURRUS_RETURN_IF_ERROR(check_checksum(bytes_behind));
  section("crc32", section_begin_, end);
  if (bytes_behind != 0) sink_.on_warning("a signature follows the file and is not checked");
  if (!metadata_.vocabulary_follows) return ok_status();
  return sink_.on_late_metadata(std::move(vocabulary_), std::move(filterbank_));
}

Status Apr1Reader::check_checksum(size_t bytes_behind) {
  const ByteSpan tail = tail_.bytes();
  const size_t counted = tail.size() - bytes_behind - kApr1CrcBytes;
  crc_.update(tail.first(counted));
  const uint32_t stored = load_le<uint32_t>(tail.data() + counted);
  if (crc_.value() == stored) return ok_status();
  return make_error(ErrorCode::checksum_mismatch, ErrorReason::checksum)
      .at(section_begin_)
      .with_subject("crc32")
      .with_expected(crc32_text(stored))
      .with_got(crc32_text(crc_.value()));
}

/// Where nothing tells more: the part that the end cut.
Error Apr1Reader::ended_early() const {
  constexpr const char* kParts[] = {"header",       "tensor index", "scale table", "metadata",
                                    "tensor index", "tensor index", "tensors",     "vocabulary",
                                    "vocabulary",   "filterbank",   "crc32"};
  Stage stage = stage_;
  // Gathered together with the scales.
  const uint64_t index_end = header_end_ + header_.tensor_count * kApr1EntryBytes;
  if (stage == Stage::scales && known_byte_count_.value_or(received_) < index_end) {
    stage = Stage::index;
  }
  return make_error(ErrorCode::truncated_input, ErrorReason::truncated)
      .with_subject(kParts[static_cast<size_t>(stage)])
      .with_expected("the whole of it");
}

Error Apr1Reader::without_list() const { return cannot_read(FileKind::trueno); }

Error Apr1Reader::no_tensors(uint64_t byte_count) const {
  constexpr uint64_t kEmptyFileBytes = kApr1HeaderBytes + kApr1CrcBytes;
  const bool is_early = layout_ == Apr1Layout::binary && byte_count > kEmptyFileBytes;
  const uint64_t offset = layout_ == Apr1Layout::json ? header_end_ - 2 * kSizeFieldBytes : 9;
  return malformed(ErrorReason::no_tensors, offset, "n_tensors")
      .with_expected(is_early
                         ? "a tensor count: this is an early APR1 without one; convert it again"
                         : "at least 1")
      .with_got("0");
}

Error Apr1Reader::vocabulary_error(uint64_t byte_count) const {
  const uint64_t offset = section_begin_ - kSizeFieldBytes;
  const uint64_t end = section_begin_ + section_byte_count_;
  if (end <= byte_count) {
    return apr1_too_long(offset, "vocabulary", limits::kMetadataBytes, section_byte_count_);
  }
  return malformed(ErrorReason::bounds, offset, "vocabulary")
      .with_expected(byte_count)
      .with_got(end);
}

}  // namespace susurrus
