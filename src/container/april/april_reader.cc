#include "container/april/april_reader.h"

#include <algorithm>

#include "base/byte_cursor.h"
#include "base/checked_math.h"
#include "base/limits.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "container/april/april_signature.h"
#include "container/read_error.h"

namespace susurrus {
namespace {

constexpr uint64_t kHeaderSizeAt = 12;
constexpr uint64_t kEntryBytes = 16;
/// Model type, the params' entry and network_count.
constexpr uint64_t kEntriesBeginBytes = 28;
/// The limit for a model of unknown type.
constexpr uint64_t kMaxUnknownNetworks = 1024;

/// `networks[2]`; the params are part 0.
std::string part_name(size_t index) {
  return index == 0 ? "params" : "networks[" + std::to_string(index - 1) + "]";
}

/// Where a part's entry begins, that of the params at `entries_at`.
uint64_t entry_at(uint64_t entries_at, size_t index) {
  return entries_at + (index == 0 ? 0 : index * kEntryBytes + 8);
}

}  // namespace

AprilReader::AprilReader(AprilSink* sink) : sink_(sink) {
  parser_.expect(kAprilPreambleBytes, "header", &AprilReader::on_preamble);
}

Status AprilReader::fail(Error error) {
  failed_ = true;
  return error;
}

Status AprilReader::push(ByteSpan chunk) {
  if (failed_) {
    return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state)
        .with_subject("reader");
  }
  received_ += chunk.size();
  if (auto status = parser_.push(*this, chunk); !status) return fail(status.error());
  return ok_status();
}

uint64_t AprilReader::skippable() const {
  const uint64_t here = parser_.position();
  // Only the contents are read to the end.
  if (sink_ != nullptr || failed_ || !known_byte_count_ || here > *known_byte_count_ ||
      parser_.streaming() != ~uint64_t{0}) {
    return 0;
  }
  uint64_t count = *known_byte_count_ - here;
  for (size_t i = 0; i < part_count() && !is_unknown(); ++i) {
    const ByteRange range = part(i);
    if (here < range.offset) {
      count = std::min(count, range.offset - here);
    } else if (here - range.offset < range.byte_count && (i == 0 || !unreadable_at_[i - 1])) {
      count = i == 0 ? 0 : std::min(count, scanners_[i - 1].skippable());
    }
  }
  return count;
}

void AprilReader::skip(uint64_t byte_count) {
  const uint64_t here = parser_.position();
  for (size_t i = 0; i < kAprilNetworks && !is_unknown(); ++i) {
    const ByteRange range = model_.network_ranges[i];
    if (!unreadable_at_[i] && here >= range.offset && here - range.offset < range.byte_count) {
      scanners_[i].skip(byte_count);
    }
  }
  parser_.leave_out(byte_count);
  received_ += byte_count;
}

void AprilReader::warn(std::string_view text) { warnings_.emplace_back(text); }

Status AprilReader::expect(uint64_t byte_count, const char* subject,
                           PushParser<AprilReader>::Step step) {
  const uint64_t room = header_end_ - parser_.position();
  if (byte_count > room) {
    return malformed(ErrorReason::bounds, kHeaderSizeAt, "header_size")
        .with_expected("room for " + std::string(subject))
        .with_got(header_end_ - kAprilPreambleBytes);
  }
  awaited_ = subject;
  parser_.expect(byte_count, subject, step);
  return ok_status();
}

Status AprilReader::expect_text(ByteSpan length_bytes, const char* subject,
                                PushParser<AprilReader>::Step step) {
  const uint64_t length = load_le<uint64_t>(length_bytes.data());
  const uint64_t at = parser_.position() - sizeof length;
  const std::string field = std::string(subject) + "_length";
  if (length > header_end_ - parser_.position()) {
    return malformed(ErrorReason::bounds, at, field)
        .with_expected("at most " + std::to_string(header_end_ - parser_.position()))
        .with_got(length);
  }
  if (length > limits::kDescriptionBytes) {
    return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
        .at(at)
        .with_subject(field)
        .with_expected(limits::kDescriptionBytes)
        .with_got(length);
  }
  return expect(length, subject, step);
}

Status AprilReader::on_preamble(ByteSpan bytes) {
  if (as_text(bytes.first(kAprilMagic.size())) != kAprilMagic) {
    return make_error(ErrorCode::unknown_format, ErrorReason::not_a_model)
        .at(0)
        .with_subject("magic")
        .with_expected(kAprilMagic);
  }
  const uint32_t version = load_le<uint32_t>(bytes.data() + 8);
  if (version != kAprilVersion) {
    return make_error(ErrorCode::unsupported_version, ErrorReason::version)
        .at(8)
        .with_subject("version")
        .with_expected(kAprilVersion)
        .with_got(version);
  }
  const uint64_t header_size = load_le<uint64_t>(bytes.data() + kHeaderSizeAt);
  const auto end = checked_add(kAprilPreambleBytes, header_size);
  if (!end || header_size == 0) {
    return malformed(ErrorReason::bounds, kHeaderSizeAt, "header_size").with_got(header_size);
  }
  header_end_ = *end;
  return expect(16, "language_tag and name_length", &AprilReader::on_language);
}

Status AprilReader::on_language(ByteSpan bytes) {
  std::copy_n(bytes.begin(), model_.language_tag.size(), model_.language_tag.begin());
  if (find_invalid_utf8(model_.language())) warn("the language tag is not valid UTF-8");
  return expect_text(bytes.subspan(8), "name", &AprilReader::on_name);
}

void AprilReader::keep_text(ByteSpan bytes, std::string& text, const char* warning) {
  text = as_text(bytes);
  if (find_invalid_utf8(text)) warn(warning);
}

Status AprilReader::on_name(ByteSpan bytes) {
  keep_text(bytes, model_.name, "the name is not valid UTF-8");
  return expect(8, "description_length", &AprilReader::on_description_length);
}

Status AprilReader::on_description_length(ByteSpan bytes) {
  return expect_text(bytes, "description", &AprilReader::on_description);
}

Status AprilReader::on_description(ByteSpan bytes) {
  keep_text(bytes, model_.description, "the description is not valid UTF-8");
  return expect(kEntriesBeginBytes, "model type and params entry", &AprilReader::on_entries_begin);
}

Status AprilReader::on_entries_begin(ByteSpan bytes) {
  ByteCursor cursor(bytes);
  const uint64_t here = parser_.position() - kEntriesBeginBytes;
  model_.model_type = cursor.u32();
  if (model_.model_type > kAprilLstmTransducer) {
    return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported)
        .at(here)
        .with_subject("model type")
        .with_expected("0 or 1")
        .with_got(model_.model_type);
  }
  entries_at_ = here + 4;
  model_.params_range.offset = cursor.u64();
  model_.params_range.byte_count = cursor.u64();
  const uint64_t network_count = cursor.u64();
  if (is_unknown()) {
    if (network_count > kMaxUnknownNetworks) {
      return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
          .at(here + 20)
          .with_subject("network_count")
          .with_expected("at most " + std::to_string(kMaxUnknownNetworks))
          .with_got(network_count);
    }
    model_.unknown_networks.resize(network_count);
  } else if (network_count != kAprilNetworks) {
    return malformed(ErrorReason::bad_index, here + 20, "network_count")
        .with_expected(kAprilNetworks)
        .with_got(network_count);
  }
  return expect(network_count * kEntryBytes, "network entries", &AprilReader::on_entries);
}

ByteRange AprilReader::part(size_t index) const {
  if (index == 0) return model_.params_range;
  return is_unknown() ? model_.unknown_networks[index - 1] : model_.network_ranges[index - 1];
}

size_t AprilReader::part_count() const {
  return 1 + (is_unknown() ? model_.unknown_networks.size() : kAprilNetworks);
}

Status AprilReader::on_entries(ByteSpan bytes) {
  ByteCursor cursor(bytes);
  const std::span<ByteRange> networks =
      is_unknown() ? std::span<ByteRange>(model_.unknown_networks) : model_.network_ranges;
  for (ByteRange& range : networks) {
    range.offset = cursor.u64();
    range.byte_count = cursor.u64();
  }
  has_header_ = true;
  // Entries are held against it.
  if (known_byte_count_) SUSURRUS_RETURN_IF_ERROR(check_header_fits(*known_byte_count_));
  parser_.stream(header_end_ - parser_.position(), &AprilReader::on_slack,
                 &AprilReader::on_header_end);
  return ok_status();
}

Status AprilReader::check_entry(ByteRange range, size_t place, const std::string& subject) const {
  const uint64_t at = entry_at(entries_at_, place);
  if (range.offset < header_end_) {
    return malformed(ErrorReason::layout, at, subject + ".offset")
        .with_expected("at least " + std::to_string(header_end_))
        .with_got(range.offset);
  }
  if (!checked_add(range.offset, range.byte_count)) {
    return malformed(ErrorReason::bounds, at + 8, subject + ".size").with_got(range.byte_count);
  }
  const uint64_t least = is_unknown() ? 0 : place == 0 ? kAprilParamsBytes : 1;
  if (range.byte_count < least) {
    return malformed(ErrorReason::size_mismatch, at + 8, subject + ".size")
        .with_expected("at least " + std::to_string(least))
        .with_got(range.byte_count);
  }
  return ok_status();
}

Status AprilReader::check_header_fits(uint64_t file_byte_count) const {
  if (header_end_ <= file_byte_count) return ok_status();
  return malformed(ErrorReason::bounds, kHeaderSizeAt, "header_size")
      .with_expected("a header inside the file of " + std::to_string(file_byte_count) + " bytes")
      .with_got(header_end_ - kAprilPreambleBytes);
}

Status AprilReader::check_entries_fit(uint64_t file_byte_count) const {
  for (size_t i = 0; i < part_count(); ++i) {
    const ByteRange range = part(i);
    const uint64_t at = entry_at(entries_at_, i);
    const std::string subject = part_name(i);
    if (range.offset > file_byte_count) {
      return malformed(ErrorReason::bounds, at, subject + ".offset")
          .with_expected("at most " + std::to_string(file_byte_count))
          .with_got(range.offset);
    }
    if (range.byte_count > file_byte_count - range.offset) {
      return malformed(ErrorReason::bounds, at + 8, subject + ".size")
          .with_expected("at most " + std::to_string(file_byte_count - range.offset))
          .with_got(range.byte_count);
    }
  }
  return ok_status();
}

Status AprilReader::on_slack(ByteSpan) { return ok_status(); }

Status AprilReader::on_header_end() {
  for (size_t i = 0; i < part_count(); ++i)
    SUSURRUS_RETURN_IF_ERROR(check_entry(part(i), i, part_name(i)));
  if (known_byte_count_) SUSURRUS_RETURN_IF_ERROR(check_entries_fit(*known_byte_count_));
  if (entry_at(entries_at_, part_count()) < header_end_) {
    warn("unused bytes behind the header's fields");
  }
  warn_of_layout();
  parser_.stream_rest(&AprilReader::on_contents);
  if (is_unknown()) {
    warn("the model type is 0, unknown: such a model cannot be run");
    return ok_status();
  }
  params_ = AprilParamsReader(model_.params_range);
  for (size_t i = 0; i < kAprilNetworks; ++i) {
    const ByteRange range = model_.network_ranges[i];
    scanners_[i] = OnnxScanner(kAprilNetworkNames[i].data(), range.offset, range.byte_count);
  }
  return ok_status();
}

void AprilReader::warn_of_layout() {
  std::vector<ByteRange> parts(part_count());
  for (size_t i = 0; i < parts.size(); ++i) parts[i] = part(i);
  heap_sort(parts, [](ByteRange a, ByteRange b) { return a.offset < b.offset; });
  uint64_t end = header_end_;
  bool overlap = false;
  bool gap = false;
  for (const ByteRange& range : parts) {
    overlap |= range.offset < end;
    gap |= range.offset > end;
    end = std::max(end, range.offset + range.byte_count);
  }
  if (overlap) warn("parts of the file overlap");
  if (gap) warn("unused bytes between the parts of the file");
  const ByteRange last = model_.network_ranges[kAprilNetworks - 1];
  if (!is_unknown() && model_.params_range.offset != last.offset + last.byte_count) {
    warn("the params do not follow the joiner, where april-asr expects them");
  }
}

Status AprilReader::push_part(size_t index, ByteSpan bytes, uint64_t end) {
  if (index == 0) return params_.push(bytes);
  const size_t network = index - 1;
  const ByteRange range = model_.network_ranges[network];
  if (!unreadable_at_[network]) {
    OnnxScanner& scanner = scanners_[network];
    Status status = scanner.push(bytes);
    const bool is_complete = status && end == range.offset + range.byte_count;
    if (is_complete) status = scanner.finish();
    if (!status && status.error().code != ErrorCode::malformed) return status;
    if (!status) {
      unreadable_at_[network] = status.error().offset;
    } else if (is_complete) {
      model_.networks[network] = std::move(scanner.network());
    }
  }
  return sink_ == nullptr ? ok_status() : sink_->on_network_bytes(network, bytes);
}

Status AprilReader::on_contents(ByteSpan bytes) {
  if (is_unknown()) return ok_status();
  const uint64_t begin = parser_.position() - bytes.size();
  const uint64_t end = parser_.position();
  // Parts may share bytes. Report the error that comes first in the file, however the input is split.
  std::optional<Error> first;
  uint64_t first_at = 0;
  for (size_t i = 0; i < part_count(); ++i) {
    const ByteRange range = part(i);
    const uint64_t from = std::max(begin, range.offset);
    const uint64_t to = std::min(end, range.offset + range.byte_count);
    if (from >= to) continue;
    const ByteSpan piece = bytes.subspan(from - begin, to - from);
    const auto status = push_part(i, piece, to);
    if (status) continue;
    const uint64_t at = i == 0 ? params_.position() : scanners_[i - 1].position();
    if (!first || at < first_at) {
      first = status.error();
      first_at = at;
    }
  }
  if (first) return *first;
  return ok_status();
}

Status AprilReader::finish() {
  if (failed_) {
    return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state)
        .with_subject("reader");
  }
  if (auto status = check_end(); !status) return fail(status.error());
  return ok_status();
}

/// Takes the params, and holds them and the networks against each other as far as they can be read.
Status AprilReader::check_model() {
  model_.params = params_.params;
  model_.tokens = std::move(params_.tokens);
  for (const std::string& warning : params_.warnings) warn(warning);
  bool all_readable = true;
  for (size_t i = 0; i < kAprilNetworks; ++i) {
    if (!unreadable_at_[i]) continue;
    all_readable = false;
    warn("the " + std::string(kAprilNetworkNames[i]) + " is not readable as ONNX (at byte " +
         std::to_string(*unreadable_at_[i]) + "): it cannot be run");
  }
  return all_readable ? check_april_networks(model_, warnings_) : ok_status();
}

Status AprilReader::check_end() {
  if (!has_header_) {
    return truncated(received_, awaited_)
        .with_expected("at least " + std::to_string(std::max(header_end_, kAprilPreambleBytes)))
        .with_got(received_);
  }
  if (known_byte_count_ && received_ < *known_byte_count_) {
    return truncated(received_, "file").with_expected(*known_byte_count_).with_got(received_);
  }
  SUSURRUS_RETURN_IF_ERROR(check_header_fits(received_));
  SUSURRUS_RETURN_IF_ERROR(check_entries_fit(received_));
  if (!is_unknown()) SUSURRUS_RETURN_IF_ERROR(check_model());
  uint64_t end = header_end_;
  for (size_t i = 0; i < part_count(); ++i)
    end = std::max(end, part(i).offset + part(i).byte_count);
  if (end < received_) warn("unused bytes behind the last part of the file");
  return ok_status();
}

}  // namespace susurrus
