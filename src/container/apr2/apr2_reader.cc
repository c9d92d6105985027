#include "container/apr2/apr2_reader.h"

#include <algorithm>

#include "base/json_document.h"
#include "container/apr2/apr2_flags.h"
#include "container/read_error.h"
#include "stream/crc32_text.h"

namespace susurrus {
namespace {

/// Smaller tensors come through one window together: a turn to the caller for each would cost more than the copy.
constexpr uint64_t kPlacedBytes = 64 << 10;

Error trailing(uint64_t expected, uint64_t received) {
  return make_error(ErrorCode::malformed, ErrorReason::trailing_data)
      .at(expected)
      .with_subject("file_size")
      .with_expected(expected)
      .with_got(received);
}

}  // namespace

Apr2Reader::Apr2Reader(ModelSink& sink) : sink_(sink) {
  parser_.expect(kApr2HeaderBytes, "header", &Apr2Reader::on_header);
}

void Apr2Reader::set_file_byte_count(uint64_t byte_count) { known_byte_count_ = byte_count; }

uint64_t Apr2Reader::skippable() const {
  if (!skims_ || !has_index_ || waiting_error_ || !known_byte_count_) return 0;
  const uint64_t read = received_ + kTailBytes;
  return *known_byte_count_ > read ? *known_byte_count_ - read : 0;
}

void Apr2Reader::skip(uint64_t byte_count) {
  if (byte_count == 0) return;
  parser_.leave_out(byte_count);
  received_ += byte_count;
  tail_ = {};
}

NextBytes Apr2Reader::next_bytes() {
  if (failed_ || !has_index_ || waiting_error_ || header_.has(apr2_flags::kEncrypted)) return {};
  const auto has_place = [](const TensorInfo& tensor) {
    return !tensor.is_compressed && tensor.raw_byte_count >= kPlacedBytes;
  };
  const auto tensor = std::find_if(tensors_.begin() + current_, tensors_.end(), has_place);
  if (tensor == tensors_.end()) return {};
  const uint64_t here = parser_.position();
  if (tensor->file_offset > here) return {{}, tensor->file_offset - here};
  // Out of memory: the bytes have no place; push() reports the error.
  if (!placed_ && !place()) return {};
  if (destination_.empty()) return {{}, tensor->file_offset + tensor->raw_byte_count - here};
  return {destination_.subspan(written_)};
}

Status Apr2Reader::push(ByteSpan chunk) {
  if (failed_ || finished_) {
    return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state)
        .with_subject("reader");
  }
  received_ += chunk.size();
  tail_.push(chunk, [this](ByteSpan left) { crc_.update(left); });
  if (auto status = parser_.push(*this, chunk); !status) return fail(status.error());
  return ok_status();
}

Status Apr2Reader::fail(Error error) {
  failed_ = true;
  return error;
}

Status Apr2Reader::on_header(ByteSpan bytes) {
  SUSURRUS_ASSIGN_OR_RETURN(header_, parse_apr2_header(bytes));
  has_header_ = true;
  if (known_byte_count_) {
    if (auto fits = check_apr2_sections_fit(header_, *known_byte_count_); !fits) {
      wait_for_footer(fits.error());
      return ok_status();
    }
  }
  SUSURRUS_RETURN_IF_ERROR(check_apr2_section_order(header_));
  skip_to(header_.metadata_offset, &Apr2Reader::start_metadata);
  return ok_status();
}

void Apr2Reader::wait_for_footer(Error error) {
  waiting_error_ = error;
  parser_.stream_rest(&Apr2Reader::on_rest);
}

void Apr2Reader::skip_to(uint64_t file_offset, Status (Apr2Reader::*done)()) {
  const uint64_t here = parser_.position();
  parser_.stream(file_offset > here ? file_offset - here : 0, &Apr2Reader::on_gap, done);
}

Status Apr2Reader::on_gap(ByteSpan bytes) {
  // A signature stands in front of the first tensor (apr.md §6).
  const bool may_be_signature = header_.has(apr2_flags::kSigned) && has_index_ && current_ == 0;
  if (!warned_padding_ && !may_be_signature &&
      std::any_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte != 0; })) {
    warned_padding_ = true;
    sink_.on_warning("padding is not zero");
  }
  return ok_status();
}

Status Apr2Reader::start_metadata() {
  metadata_bytes_.start(header_.metadata_byte_count, "metadata", JsonDocument::kPaddingBytes);
  parser_.stream(header_.metadata_byte_count, &Apr2Reader::on_metadata,
                 &Apr2Reader::on_metadata_end);
  return ok_status();
}

Status Apr2Reader::on_metadata(ByteSpan bytes) { return metadata_bytes_.append(bytes); }

Status Apr2Reader::on_metadata_end() {
  if (sink_.wants_metadata_text()) metadata_text_ = as_text(metadata_bytes_.bytes());
  const size_t byte_count = metadata_bytes_.bytes().size();
  const JsonOrigin origin = {header_.metadata_offset, ErrorReason::bad_metadata, "metadata"};
  {
    SUSURRUS_ASSIGN_OR_RETURN(
        const JsonDocument document,
        JsonDocument::parse_in_place(metadata_bytes_.take(), byte_count, origin));
    SUSURRUS_ASSIGN_OR_RETURN(
        metadata_, read_apr2_metadata(document, header_.version_major, header_.metadata_offset));
  }  // the text and its tree go before the first tensor comes
  if (skims_metadata_) {
    has_index_ = true;  // of no tensor
    for (const std::string& warning : metadata_.warnings) sink_.on_warning(warning);
    SUSURRUS_RETURN_IF_ERROR(announce());
    return next_tensor();
  }
  skip_to(header_.index_offset, &Apr2Reader::start_index);
  return ok_status();
}

Status Apr2Reader::start_index() {
  parser_.expect(header_.index_byte_count, "tensor index", &Apr2Reader::on_index);
  return ok_status();
}

Status Apr2Reader::on_index(ByteSpan bytes) {
  const Apr2IndexContext context = {header_, metadata_.encryption_piece_bytes, known_byte_count_};
  SUSURRUS_ASSIGN_OR_RETURN(Apr2Index index, parse_apr2_index(bytes, context));
  if (index.length_error) {
    wait_for_footer(*index.length_error);
    return ok_status();
  }
  tensors_ = std::move(index.tensors);
  has_index_ = true;
  if (known_byte_count_) {
    if (auto fits = check_apr2_tensors_fit(tensors_, *known_byte_count_); !fits) {
      wait_for_footer(fits.error());
      return ok_status();
    }
  }
  for (const std::string& warning : metadata_.warnings) sink_.on_warning(warning);
  for (const std::string& warning : index.warnings) sink_.on_warning(warning);
  SUSURRUS_RETURN_IF_ERROR(announce());
  if (skims_) current_ = tensors_.size();
  return next_tensor();
}

Status Apr2Reader::announce() {
  if (header_.has(apr2_flags::kSigned)) sink_.on_warning("signature not checked");
  ModelManifest manifest;
  manifest.format = "APR2";
  manifest.version_major = header_.version_major;
  manifest.version_minor = header_.version_minor;
  manifest.flags = header_.flags;
  manifest.is_encrypted = header_.has(apr2_flags::kEncrypted);
  manifest.metadata_text = metadata_text_;
  manifest.metadata = &metadata_.model;
  manifest.tensors = tensors_;
  SUSURRUS_RETURN_IF_ERROR(sink_.on_manifest(manifest));
  metadata_text_ = std::string();
  return ok_status();
}

Status Apr2Reader::next_tensor() {
  if (current_ == tensors_.size()) {
    parser_.stream_rest(&Apr2Reader::on_rest);
    return ok_status();
  }
  skip_to(tensors_[current_].file_offset, &Apr2Reader::start_tensor);
  return ok_status();
}

Status Apr2Reader::start_tensor() {
  placed_ = false;
  parser_.stream(tensors_[current_].stored_byte_count, &Apr2Reader::on_tensor,
                 &Apr2Reader::on_tensor_end);
  return ok_status();
}

Status Apr2Reader::place() {
  const TensorInfo& tensor = tensors_[current_];
  destination_ = {};
  streams_ = false;
  // Ciphertext must never pass for weights, even if the sink ignores them.
  if (!header_.has(apr2_flags::kEncrypted)) {
    if (!tensor.is_compressed) {
      SUSURRUS_ASSIGN_OR_RETURN(streams_, sink_.stream_tensor(tensor));
    }
    if (!streams_) {
      SUSURRUS_ASSIGN_OR_RETURN(destination_, sink_.place_tensor(tensor));
    }
  }
  if (!destination_.empty() && destination_.size() != tensor.raw_byte_count) {
    return make_error(ErrorCode::internal_error, ErrorReason::internal).with_subject(tensor.name);
  }
  written_ = 0;
  decodes_ = tensor.is_compressed && !header_.has(apr2_flags::kEncrypted);
  if (decodes_ && destination_.empty()) {
    SUSURRUS_RETURN_IF_ERROR(lz4_.start_verifying(tensor.raw_byte_count, tensor.stored_byte_count,
                                                  tensor.file_offset, tensor.name));
  } else if (decodes_) {
    lz4_.start(destination_, tensor.stored_byte_count, tensor.file_offset, tensor.name);
  }
  placed_ = true;
  return ok_status();
}

Status Apr2Reader::on_tensor(ByteSpan bytes) {
  if (!placed_) SUSURRUS_RETURN_IF_ERROR(place());
  if (decodes_) return lz4_.push(bytes);
  if (streams_) sink_.on_tensor_bytes(bytes);
  if (destination_.empty()) return ok_status();
  uint8_t* place = destination_.data() + written_;
  if (bytes.data() != place) std::memcpy(place, bytes.data(), bytes.size());
  written_ += bytes.size();
  return ok_status();
}

Status Apr2Reader::on_tensor_end() {
  const TensorInfo& tensor = tensors_[current_];
  if (!placed_) SUSURRUS_RETURN_IF_ERROR(place());
  if (decodes_) SUSURRUS_RETURN_IF_ERROR(lz4_.finish());
  sink_.on_tensor_complete(tensor);
  ++current_;
  return next_tensor();
}

Status Apr2Reader::on_rest(ByteSpan bytes) {
  footer_search_.push(bytes, parser_.position() - bytes.size());
  return ok_status();
}

Status Apr2Reader::finish() {
  if (failed_ || finished_) {
    return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state)
        .with_subject("reader");
  }
  if (auto status = check_end(); !status) return fail(status.error());
  finished_ = true;
  return ok_status();
}

Status Apr2Reader::check_end() {
  // What is left out counts as received, and may be all but the very end.
  if (received_ < kApr2MinimumBytes || tail_.bytes().size() < kApr2FooterBytes) {
    return truncated(received_, "file").with_expected(kApr2MinimumBytes).with_got(received_);
  }
  const ByteSpan tail = tail_.bytes();
  auto footer = parse_apr2_footer(tail.last(kApr2FooterBytes));
  size_t bytes_behind = 0;
  if (!footer && tail.size() == kTailBytes) {
    footer = parse_apr2_footer(tail.first(kApr2FooterBytes));
    if (footer && footer->file_byte_count + kTrailingSignatureBytes != received_) footer.reset();
    bytes_behind = kTrailingSignatureBytes;
  }
  if (!footer) {
    if (auto end = footer_search_.end()) return trailing(*end, received_);
    return truncated(received_, "footer").with_expected("2RPA 12 bytes before the end");
  }
  const uint64_t file_byte_count = received_ - bytes_behind;
  if (footer->file_byte_count > file_byte_count) {
    return truncated(file_byte_count, "file_size")
        .with_expected(footer->file_byte_count)
        .with_got(file_byte_count);
  }
  if (footer->file_byte_count < file_byte_count) {
    return trailing(footer->file_byte_count, file_byte_count);
  }
  if (waiting_error_) return *waiting_error_;
  SUSURRUS_RETURN_IF_ERROR(check_extent(file_byte_count));
  if (!skims_) SUSURRUS_RETURN_IF_ERROR(check_crc(*footer, bytes_behind));
  if (!skims_ && !warned_padding_ &&
      footer_search_.first_nonzero() < file_byte_count - kApr2FooterBytes) {
    sink_.on_warning("padding is not zero");
  }
  if (bytes_behind > 0) sink_.on_warning("a signature follows the file and is not checked");
  return ok_status();
}

/// The bounds that could not be checked while the length was unknown.
Status Apr2Reader::check_extent(uint64_t file_byte_count) const {
  if (has_header_) SUSURRUS_RETURN_IF_ERROR(check_apr2_sections_fit(header_, file_byte_count));
  if (has_index_) SUSURRUS_RETURN_IF_ERROR(check_apr2_tensors_fit(tensors_, file_byte_count));
  if (!has_index_ || current_ < tensors_.size()) {
    return make_error(ErrorCode::internal_error, ErrorReason::internal).with_subject("apr2_reader");
  }
  return ok_status();
}

Status Apr2Reader::check_crc(const Apr2Footer& footer, size_t bytes_behind) {
  const ByteSpan tail = tail_.bytes();
  crc_.update(tail.first(tail.size() - bytes_behind - kApr2FooterBytes));
  if (crc_.value() == footer.crc32) return ok_status();
  return make_error(ErrorCode::checksum_mismatch, ErrorReason::checksum)
      .at(received_ - bytes_behind - kApr2FooterBytes)
      .with_subject("crc32")
      .with_expected(crc32_text(footer.crc32))
      .with_got(crc32_text(crc_.value()));
}

}  // namespace susurrus
