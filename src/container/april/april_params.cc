#include "container/april/april_params.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "container/read_error.h"

namespace susurrus {
namespace {

uint64_t offset_of(int32_t AprilParams::* member) {
  uint64_t offset = kAprilParamsMagic.size();
  for (const AprilParamField& field : kAprilParamFields) {
    if (field.member == member) break;
    offset += sizeof(int32_t);
  }
  return offset;
}

const char* name_of(int32_t AprilParams::* member) {
  for (const AprilParamField& field : kAprilParamFields) {
    if (field.member == member) return field.name;
  }
  return "";
}

struct Range {
  int32_t AprilParams::* member;
  int64_t least;
  int64_t most;
  ErrorReason reason = ErrorReason::bad_metadata;
};

}  // namespace

Status check_april_params(const AprilParams& params, uint64_t file_offset, uint64_t token_bytes,
                          std::vector<std::string>& warnings) {
  using P = AprilParams;
  const Range ranges[] = {
      {&P::batch_size, 1, 1},
      {&P::segment_size, 1, 99},
      {&P::segment_step, 1, params.segment_size},
      {&P::mel_features, 1, 255},
      {&P::samplerate, 1, 143999},
      {&P::frame_length_ms, 1, 5000},
      {&P::frame_shift_ms, 1, params.frame_length_ms},
      {&P::mel_low, 1, int64_t{params.samplerate} - 1},
      {&P::token_count, 1, 16383, ErrorReason::bad_vocabulary},
      {&P::blank_token_id, 0, int64_t{params.token_count} - 1, ErrorReason::bad_vocabulary},
  };
  for (const Range& range : ranges) {
    const int64_t value = params.*range.member;
    if (value >= range.least && value <= range.most) continue;
    return malformed(range.reason, file_offset + offset_of(range.member), name_of(range.member))
        .with_expected(std::to_string(range.least) + " to " + std::to_string(range.most))
        .with_got(std::to_string(value));
  }
  const auto samples = [&](int32_t ms) { return int64_t{ms} * params.samplerate / 1000; };
  if (samples(params.frame_length_ms) < 2) {
    return malformed(ErrorReason::bad_metadata, file_offset + offset_of(&P::frame_length_ms),
                     "frame_length_ms")
        .with_expected("a frame of 2 samples or more");
  }
  if (samples(params.frame_shift_ms) < 1) {
    return malformed(ErrorReason::bad_metadata, file_offset + offset_of(&P::frame_shift_ms),
                     "frame_shift_ms")
        .with_expected("frames that are a sample or more apart");
  }
  if (params.mel_high != 0 && params.mel_high <= params.mel_low) {
    return malformed(ErrorReason::bad_metadata, file_offset + offset_of(&P::mel_high), "mel_high")
        .with_expected("0, or more than mel_low")
        .with_got(std::to_string(params.mel_high));
  }
  if (params.mel_high > params.samplerate / 2) {
    warnings.push_back("mel_high is above half the sampling rate");
  }
  if (uint64_t(params.token_count) > token_bytes / sizeof(int32_t)) {
    return malformed(ErrorReason::bad_vocabulary, file_offset + offset_of(&P::token_count),
                     "token_count")
        .with_expected("at most " + std::to_string(token_bytes / sizeof(int32_t)) +
                       " in params.size")
        .with_got(uint64_t(params.token_count));
  }
  return ok_status();
}

AprilParamsReader::AprilParamsReader(ByteRange range) : range_(range) {
  parser_.expect(kAprilParamsBytes, "params", &AprilParamsReader::on_numbers);
}

Status AprilParamsReader::push(ByteSpan bytes) { return parser_.push(*this, bytes); }

Status AprilParamsReader::on_numbers(ByteSpan bytes) {
  if (as_text(bytes.first(kAprilParamsMagic.size())) != kAprilParamsMagic) {
    return malformed(ErrorReason::bad_metadata, range_.offset, "params.magic")
        .with_expected("PARAMS and two zero bytes");
  }
  const uint8_t* at = bytes.data() + kAprilParamsMagic.size();
  for (const AprilParamField& field : kAprilParamFields) {
    params.*field.member = load_le<int32_t>(at);
    at += sizeof(int32_t);
  }
  SUSURRUS_RETURN_IF_ERROR(check_april_params(params, range_.offset, room(), warnings));
  tokens.reserve(static_cast<size_t>(params.token_count));
  return next_token();
}

Error AprilParamsReader::bad_token(uint64_t offset) const {
  return malformed(ErrorReason::bad_vocabulary, offset,
                   "tokens[" + std::to_string(tokens.size()) + "]");
}

Status AprilParamsReader::next_token() {
  if (tokens.size() == static_cast<size_t>(params.token_count)) {
    parser_.stream_rest(&AprilParamsReader::on_slack);
    return ok_status();
  }
  if (room() < sizeof(int32_t)) {
    return bad_token(position()).with_expected("a length of 4 bytes").with_got(room());
  }
  parser_.expect(sizeof(int32_t), "token_length", &AprilParamsReader::on_token_length);
  return ok_status();
}

Status AprilParamsReader::on_token_length(ByteSpan bytes) {
  const int32_t length = load_le<int32_t>(bytes.data());
  const uint64_t at = position() - sizeof length;
  if (length < 0) {
    return bad_token(at).with_expected("a length of 0 or more").with_got(std::to_string(length));
  }
  const auto byte_count = static_cast<uint64_t>(length);
  if (byte_count > room()) {
    return bad_token(at)
        .with_expected("at most " + std::to_string(room()) + " bytes")
        .with_got(byte_count);
  }
  token_bytes_ += byte_count;
  if (token_bytes_ > limits::kDescriptionBytes) {
    return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
        .at(at)
        .with_subject("tokens")
        .with_expected(limits::kDescriptionBytes)
        .with_got(token_bytes_);
  }
  parser_.expect(byte_count, "token", &AprilParamsReader::on_token);
  return ok_status();
}

Status AprilParamsReader::on_token(ByteSpan bytes) {
  const std::string_view token = as_text(bytes);
  if (token.find('\0') != std::string_view::npos) {
    warn_once(warned_nul_, "a token holds a zero byte");
  }
  if (find_invalid_utf8(token)) warn_once(warned_utf8_, "a token is not valid UTF-8");
  tokens.emplace_back(token);
  return next_token();
}

Status AprilParamsReader::on_slack(ByteSpan) {
  warn_once(warned_slack_, "unused bytes behind the tokens");
  return ok_status();
}

void AprilParamsReader::warn_once(bool& warned, const char* text) {
  if (!warned) warnings.emplace_back(text);
  warned = true;
}

}  // namespace susurrus
