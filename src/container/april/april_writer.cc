#include "container/april/april_writer.h"

#include "base/append.h"
#include "base/checked_math.h"
#include "base/limits.h"
#include "base/sort.h"
#include "container/april/april_params.h"
#include "container/read_error.h"

namespace susurrus {
namespace {

/// The header without name and description: language, two lengths, model type, params' entry, count, entries.
constexpr uint64_t kFixedHeaderBytes = 8 + 8 + 8 + 4 + 16 + 8 + 16 * kAprilNetworks;

void append_range(std::vector<uint8_t>& out, ByteRange range) {
  append(out, range.offset);
  append(out, range.byte_count);
}

Error wrong_state(const char* what) {
  return make_error(ErrorCode::wrong_state, ErrorReason::state).with_subject(what);
}

Status check_text(const std::string& text, const char* subject) {
  if (text.size() <= limits::kDescriptionBytes) return ok_status();
  return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
      .with_subject(subject)
      .with_expected(limits::kDescriptionBytes)
      .with_got(text.size());
}

}  // namespace

AprilOrder april_order_of(const AprilModel& model) {
  AprilOrder order = kAprilOrder;
  const auto offset = [&](AprilPart part) {
    return part == AprilPart::params ? model.params_range.offset
                                     : model.network_ranges[static_cast<size_t>(part)].offset;
  };
  heap_sort(order, [&](AprilPart a, AprilPart b) { return offset(a) < offset(b); });
  return order;
}

Result<std::unique_ptr<AprilWriter>> AprilWriter::plan(AprilModel model, AprilOrder order) {
  std::unique_ptr<AprilWriter> writer(new AprilWriter());
  SUSURRUS_RETURN_IF_ERROR(check_text(model.name, "name"));
  SUSURRUS_RETURN_IF_ERROR(check_text(model.description, "description"));
  uint64_t table_bytes = 0;
  for (const std::string& token : model.tokens) {
    table_bytes += sizeof(int32_t) + token.size();
    if (table_bytes > limits::kDescriptionBytes) {
      return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
          .with_subject("tokens")
          .with_expected(limits::kDescriptionBytes)
          .with_got(table_bytes);
    }
  }
  model.params.token_count = static_cast<int32_t>(model.tokens.size());
  std::vector<std::string> warnings;
  if (auto good = check_april_params(model.params, 0, table_bytes, warnings); !good) {
    return wrong_argument(good.error().subject.view())
        .with_expected(good.error().expected.view())
        .with_got(good.error().got.view());
  }
  model.params_range.byte_count = kAprilParamsBytes + table_bytes;
  uint64_t end =
      kAprilPreambleBytes + kFixedHeaderBytes + model.name.size() + model.description.size();
  unsigned seen = 0;
  for (const AprilPart part : order) {
    seen |= 1u << static_cast<unsigned>(part);
    ByteRange& range = part == AprilPart::params ? model.params_range
                                                 : model.network_ranges[static_cast<size_t>(part)];
    const auto next = checked_add(end, range.byte_count);
    if (range.byte_count == 0 || !next) {
      return wrong_argument(part == AprilPart::params
                                ? "params"
                                : kAprilNetworkNames[static_cast<size_t>(part)])
          .with_got(range.byte_count);
    }
    range.offset = end;
    end = *next;
  }
  if (seen != 0xF) {
    return wrong_argument("order").with_expected("each part once");
  }
  writer->model_ = std::move(model);
  writer->order_ = order;
  writer->file_byte_count_ = end;
  return writer;
}

std::vector<uint8_t> AprilWriter::encode_header() const {
  std::vector<uint8_t> out;
  append(out, kAprilMagic);
  append(out, kAprilVersion);
  append<uint64_t>(out, kFixedHeaderBytes + model_.name.size() + model_.description.size());
  out.insert(out.end(), model_.language_tag.begin(), model_.language_tag.end());
  append<uint64_t>(out, model_.name.size());
  append(out, model_.name);
  append<uint64_t>(out, model_.description.size());
  append(out, model_.description);
  append(out, kAprilLstmTransducer);
  append_range(out, model_.params_range);
  append<uint64_t>(out, kAprilNetworks);
  for (const ByteRange& range : model_.network_ranges) append_range(out, range);
  return out;
}

std::vector<uint8_t> AprilWriter::encode_params() const {
  std::vector<uint8_t> out;
  out.reserve(model_.params_range.byte_count);
  append(out, kAprilParamsMagic);
  for (const AprilParamField& field : kAprilParamFields) append(out, model_.params.*field.member);
  for (const std::string& token : model_.tokens) {
    append(out, static_cast<int32_t>(token.size()));
    append(out, std::string_view(token));
  }
  return out;
}

Status AprilWriter::next_part(ByteSink& sink) {
  for (; current_ < order_.size(); ++current_) {
    const AprilPart part = order_[current_];
    if (part != AprilPart::params) {
      left_ = model_.network_ranges[static_cast<size_t>(part)].byte_count;
      return ok_status();
    }
    SUSURRUS_RETURN_IF_ERROR(sink.write(encode_params()));
  }
  return ok_status();
}

Status AprilWriter::begin(ByteSink& sink) {
  if (has_begun_) return wrong_state("begin");
  has_begun_ = true;
  SUSURRUS_RETURN_IF_ERROR(sink.write(encode_header()));
  return next_part(sink);
}

Status AprilWriter::write(ByteSpan bytes, ByteSink& sink) {
  if (bytes.empty()) return ok_status();
  if (!has_begun_) return wrong_state("write");
  if (bytes.size() > left_) {
    return make_error(ErrorCode::invalid_argument, ErrorReason::bounds)
        .with_subject("network bytes")
        .with_expected("at most " + std::to_string(left_))
        .with_got(uint64_t{bytes.size()});
  }
  SUSURRUS_RETURN_IF_ERROR(sink.write(bytes));
  left_ -= bytes.size();
  if (left_ > 0) return ok_status();
  ++current_;
  return next_part(sink);
}

Status AprilWriter::finish() {
  if (!has_begun_ || current_ < order_.size()) return wrong_state("finish");
  return ok_status();
}

}  // namespace susurrus
