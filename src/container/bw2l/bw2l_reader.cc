#include "container/bw2l/bw2l_reader.h"

#include <algorithm>

#include "base/checked_math.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "container/bw2l/bw2l_errors.h"
#include "container/read_error.h"

namespace susurrus {

using namespace bw2l;

namespace {

// The fewest bytes that they can have.
constexpr uint64_t kLeastSection = 18;
constexpr uint64_t kFewestFileBytes = 14;

// Far beyond real files, and little memory.
constexpr uint64_t kMaxSections = 1 << 14;

/// The types of the sections that BW2L names and every model needs.
constexpr struct {
  std::string_view name;
  std::string_view type;
} kWantedTypes[] = {{"arch", "utf8"},
                    {"tokens", "utf8"},
                    {"flags", "keyval"},
                    {"config", "keyval"},
                    {"layers", "layers"}};

bool is_kept_text(const Bw2lSection& section) {
  return section.kind() == Bw2lKind::utf8 && (section.name == "arch" || section.name == "tokens");
}

}  // namespace

Bw2lReader::Bw2lReader(Bw2lSink* sink) : sink_(sink) {
  claim_ = "header";
  parser_.expect(5, "header", &Bw2lReader::on_magic);
}

Status Bw2lReader::fail(Error error) {
  failed_ = true;
  return error;
}

Status Bw2lReader::push(ByteSpan chunk) {
  if (failed_) {
    return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state)
        .with_subject("reader");
  }
  received_ += chunk.size();
  if (auto status = parser_.push(*this, chunk); !status) return fail(status.error());
  return ok_status();
}

uint64_t Bw2lReader::skippable() const {
  if (sink_ != nullptr || failed_ || !known_byte_count_ || received_ > *known_byte_count_ ||
      (!is_complete_ && has_kept_text())) {
    return 0;
  }
  return std::min(parser_.streaming(), *known_byte_count_ - received_);
}

void Bw2lReader::skip(uint64_t byte_count) {
  parser_.leave_out(byte_count);
  received_ += byte_count;
}

bool Bw2lReader::has_kept_text() const {
  return !model_.sections.empty() && is_kept_text(model_.sections.back());
}

Status Bw2lReader::expect_in_file(uint64_t byte_count, uint64_t length_at, const char* what,
                                  Step step) {
  const std::string name =
      model_.sections.empty()
          ? std::string(what)
          : "sections[" + std::to_string(model_.sections.size() - 1) + "]." + what;
  const uint64_t here = parser_.position();
  const auto end = checked_add(here, byte_count);
  if (!end || (known_byte_count_ && *end > *known_byte_count_)) {
    return too_long(length_at, name,
                    known_byte_count_ ? *known_byte_count_ - std::min(here, *known_byte_count_)
                                      : ~uint64_t{0} - here,
                    byte_count);
  }
  claim_at_ = length_at;
  claim_begin_ = here;
  claim_end_ = *end;
  claim_ = name;
  parser_.expect(byte_count, what, step);
  return ok_status();
}

Status Bw2lReader::expect_in_section(uint64_t byte_count, uint64_t length_at, std::string_view what,
                                     Step step) {
  if (byte_count > room()) return too_long(length_at, subject(what), room(), byte_count);
  parser_.expect(byte_count, "section", step);
  return ok_status();
}

Status Bw2lReader::count_text(uint64_t byte_count, uint64_t length_at, std::string_view what) {
  const auto sum = checked_add(text_bytes_, byte_count);
  if (!sum || *sum > limits::kDescriptionBytes) {
    return beyond_limit(length_at, what, limits::kDescriptionBytes).with_got(byte_count);
  }
  text_bytes_ = *sum;
  return ok_status();
}

std::string Bw2lReader::subject(std::string_view what) const {
  const Bw2lSection& section = model_.sections.back();
  std::string text = section.name;
  if (section.kind() == Bw2lKind::keyval)
    text += "[" + std::to_string(pairs_read_ - pairs_before_section_) + "]";
  if (section.kind() == Bw2lKind::layers && !section.layers.empty()) {
    text += "[" + std::to_string(section.layers.size() - 1) + "]";
    const size_t arrays = section.layers.back().arrays.size();
    if (what == "type" || what == "count") text += ".arrays[" + std::to_string(arrays - 1) + "]";
  }
  return text.append(".").append(what);
}

// ---- The file's header

Status Bw2lReader::on_magic(ByteSpan bytes) {
  if (as_text(bytes.first(4)) != kBw2lMagic) {
    return make_error(ErrorCode::unknown_format, ErrorReason::not_a_model)
        .at(0)
        .with_subject("magic")
        .with_expected(kBw2lMagic);
  }
  if (bytes[4] != kBw2lVersion) {
    return make_error(ErrorCode::unsupported_version, ErrorReason::version)
        .at(4)
        .with_subject("version")
        .with_expected(kBw2lVersion)
        .with_got(bytes[4]);
  }
  parser_.expect(1, "name", &Bw2lReader::on_model_name_length);
  return ok_status();
}

Status Bw2lReader::on_model_name_length(ByteSpan bytes) {
  return expect_in_file(bytes[0], parser_.position() - 1, "name", &Bw2lReader::on_model_name);
}

Status Bw2lReader::on_model_name(ByteSpan bytes) {
  model_.name = as_text(bytes);
  if (find_invalid_utf8(model_.name)) warnings_.emplace_back("the name is not valid UTF-8");
  claim_ = "section_count";
  parser_.expect(8, "section_count", &Bw2lReader::on_section_count);
  return ok_status();
}

Status Bw2lReader::on_section_count(ByteSpan bytes) {
  section_count_ = load_le<uint64_t>(bytes.data());
  model_.section_count_offset = parser_.position() - 8;
  SUSURRUS_RETURN_IF_ERROR(check_section_count_fits(known_byte_count_.value_or(~uint64_t{0})));
  return next_section();
}

Status Bw2lReader::check_section_count_fits(uint64_t file_byte_count) const {
  const uint64_t begin = model_.section_count_offset + 8;
  const uint64_t most = (file_byte_count - std::min(begin, file_byte_count)) / kLeastSection;
  if (section_count_ <= most) return ok_status();
  return malformed(ErrorReason::bounds, model_.section_count_offset, "section_count")
      .with_expected("at most " + std::to_string(most))
      .with_got(section_count_);
}

// ---- A section's header

Status Bw2lReader::next_section() {
  if (model_.sections.size() == section_count_) {
    is_complete_ = true;
    parser_.stream_rest(&Bw2lReader::on_trailing);
    return ok_status();
  }
  if (model_.sections.size() == kMaxSections) {
    return beyond_limit(model_.section_count_offset, "section_count", kMaxSections)
        .with_got(section_count_);
  }
  model_.sections.emplace_back();
  section().file_offset = parser_.position();
  claim_ = "section";
  parser_.expect(1, "name", &Bw2lReader::on_name_length);
  return ok_status();
}

Status Bw2lReader::on_name_length(ByteSpan bytes) {
  return expect_in_file(bytes[0], parser_.position() - 1, "name", &Bw2lReader::on_name);
}

Status Bw2lReader::on_name(ByteSpan bytes) {
  section().name = as_text(bytes);
  if (find_invalid_utf8(section().name)) {
    warnings_.emplace_back("the name of a section is not valid UTF-8");
  }
  parser_.expect(1, "type", &Bw2lReader::on_type_length);
  return ok_status();
}

Status Bw2lReader::on_type_length(ByteSpan bytes) {
  return expect_in_file(bytes[0], parser_.position() - 1, "type", &Bw2lReader::on_type);
}

Status Bw2lReader::on_type(ByteSpan bytes) {
  section().type = as_text(bytes);
  SUSURRUS_RETURN_IF_ERROR(check_wanted_type());
  parser_.expect(8, "description", &Bw2lReader::on_description_length);
  return ok_status();
}

Status Bw2lReader::check_wanted_type() {
  for (const auto& wanted : kWantedTypes) {
    if (section().name != wanted.name || section().type == wanted.type) continue;
    return malformed(ErrorReason::bad_metadata, parser_.position() - section().type.size() - 1,
                     section().name)
        .with_expected("type " + std::string(wanted.type))
        .with_got(section().type);
  }
  return ok_status();
}

Status Bw2lReader::on_description_length(ByteSpan bytes) {
  const uint64_t length = load_le<uint64_t>(bytes.data());
  const uint64_t at = parser_.position() - 8;
  SUSURRUS_RETURN_IF_ERROR(expect_in_file(length, at, "description", &Bw2lReader::on_description));
  return count_text(length, at, claim_);
}

Status Bw2lReader::on_description(ByteSpan bytes) {
  section().description = as_text(bytes);
  parser_.expect(8, "data_length", &Bw2lReader::on_data_length);
  return ok_status();
}

Status Bw2lReader::on_data_length(ByteSpan bytes) {
  const uint64_t length = load_le<uint64_t>(bytes.data());
  const uint64_t at = parser_.position() - 8;
  // The claim of all that is in the section; how it is read is chosen below.
  SUSURRUS_RETURN_IF_ERROR(expect_in_file(length, at, "data_length", nullptr));
  Bw2lSection& now = section();
  now.data_offset = parser_.position();
  now.byte_count = length;
  section_end_ = claim_end_;
  pairs_before_section_ = pairs_read_;
  layer_count_at_ = 0;
  switch (now.kind()) {
    case Bw2lKind::keyval: return next_pair();
    case Bw2lKind::array: return begin_array();
    case Bw2lKind::layers: return begin_layers();
    default: break;
  }
  if (is_kept_text(now)) SUSURRUS_RETURN_IF_ERROR(count_text(length, at, claim_));
  parser_.stream(length, &Bw2lReader::on_bytes, &Bw2lReader::end_section);
  return ok_status();
}

Status Bw2lReader::on_bytes(ByteSpan bytes) {
  if (is_kept_text(section())) section().text += as_text(bytes);
  return sink_ != nullptr ? sink_->on_bytes(section(), bytes) : ok_status();
}

Status Bw2lReader::check_utf8(std::string_view text, uint64_t offset, std::string_view what) const {
  const auto bad = find_invalid_utf8(text);
  if (!bad) return ok_status();
  return malformed(what == "tokens" ? ErrorReason::bad_vocabulary : ErrorReason::bad_metadata,
                   offset + *bad, what)
      .with_expected("UTF-8");
}

Status Bw2lReader::end_section() {
  const Bw2lSection& now = section();
  if (is_kept_text(now)) SUSURRUS_RETURN_IF_ERROR(check_utf8(now.text, now.data_offset, now.name));
  if (room() > 0) {
    return malformed(ErrorReason::trailing_data, parser_.position(), now.name)
        .with_expected(parser_.position() - now.data_offset)
        .with_got(now.byte_count);
  }
  return next_section();
}

// ---- The end

Status Bw2lReader::on_trailing(ByteSpan) { return ok_status(); }

Status Bw2lReader::finish() {
  if (failed_) {
    return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state)
        .with_subject("reader");
  }
  // What was left out may have ended a section.
  SUSURRUS_RETURN_IF_ERROR(push({}));
  if (auto status = check_end(); !status) return fail(status.error());
  return ok_status();
}

Status Bw2lReader::check_end() {
  if (known_byte_count_ && received_ < *known_byte_count_) {
    return truncated(received_, "file").with_expected(*known_byte_count_).with_got(received_);
  }
  if (!is_complete_) {
    SUSURRUS_RETURN_IF_ERROR(check_section_count_fits(received_));
    if (claim_end_ > received_) {
      return too_long(claim_at_, claim_, received_ - claim_begin_, claim_end_ - claim_begin_);
    }
    return truncated(received_, claim_)
        .with_expected("at least " + std::to_string(std::max(received_ + 1, kFewestFileBytes)))
        .with_got(received_);
  }
  const Bw2lSection* last = model_.sections.empty() ? nullptr : &model_.sections.back();
  const uint64_t end =
      last ? last->data_offset + last->byte_count : model_.section_count_offset + 8;
  if (end < received_) warnings_.emplace_back("unused bytes behind the last section");
  if (unknown_layers_ > 0) {
    const std::string more =
        unknown_layers_ == 1 ? "" : " and " + std::to_string(unknown_layers_ - 1) + " more";
    warnings_.push_back(unknown_layer_ + more + ": no layer that BW2L defines, cannot be run");
  }
  SUSURRUS_ASSIGN_OR_RETURN(checked_, check_bw2l_model(model_, warnings_));
  return ok_status();
}

}  // namespace susurrus
