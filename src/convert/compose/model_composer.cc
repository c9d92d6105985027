#include "convert/compose/model_composer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "convert/compose/description_values.h"
#include "convert/largest_value.h"

namespace susurrus {
namespace {

/// Discards bytes that are only measured.
class NullSink : public ByteSink {
 public:
  Status write(ByteSpan) override { return ok_status(); }
};

/// A part's stored bytes, into the file.
class StoredSink : public ByteSink {
 public:
  StoredSink(PartsWriter& writer, ByteSink& file) : writer_(writer), file_(file) {}
  Status write(ByteSpan bytes) override { return writer_.write(bytes, file_); }

 private:
  PartsWriter& writer_;
  ByteSink& file_;
};

/// What a reader finds wrong with the file is wrong with what the caller gave.
Error as_argument(Error error) {
  switch (error.code) {
    case ErrorCode::limit_exceeded:
    case ErrorCode::out_of_memory:
    case ErrorCode::wrong_state:
    case ErrorCode::disabled_by_previous_error:
    case ErrorCode::internal_error: break;
    default: error.code = ErrorCode::invalid_argument;
  }
  return error;
}

PlannedParts plan_parts(JsonValue description) {
  const auto format = description["format"].text().value_or("");
  if (format == "april") return plan_april_parts(description);
  if (format == "bw2l") return plan_bw2l_parts(description);
  if (format == "tennis") return plan_tennis_parts(description);
  return plan_apr_parts(description, format == "apr1");
}

Error wrong_size(const FilePart& part, uint64_t expected, uint64_t got) {
  return make_error(ErrorCode::invalid_argument, ErrorReason::size_mismatch)
      .with_subject(part.name)
      .with_expected(std::to_string(expected) + " bytes")
      .with_got(got);
}

}  // namespace

Status ModelComposer::keep(Status status) {
  if (status) return status;
  state_ = State::failed;
  return as_argument(status.error());
}

Status ModelComposer::require(State state) const {
  if (state_ == State::failed) {
    return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state)
        .with_subject("writer");
  }
  if (state_ == state && output_.bytes().empty()) return ok_status();
  return make_error(ErrorCode::wrong_state, ErrorReason::state).with_subject("writer");
}

Status ModelComposer::plan(std::string_view description) {
  SUSURRUS_RETURN_IF_ERROR(require(State::collecting));
  return keep(make_plan(description));
}

Status ModelComposer::make_plan(std::string_view description) {
  SUSURRUS_ASSIGN_OR_RETURN(
      const JsonDocument document,
      JsonDocument::parse(description, {0, ErrorReason::bad_metadata, "description"}));
  SUSURRUS_ASSIGN_OR_RETURN(writer_, plan_parts(document.root()));
  SUSURRUS_RETURN_IF_ERROR(rehearse());
  state_ = State::planned;
  return ok_status();
}

/// A dry run of what a reader can check before it has seen the parts.
Status ModelComposer::rehearse() {
  static constexpr std::array<uint8_t, 64 << 10> kZeros{};
  // Parts of zeros pass by unread, but not for ever.
  constexpr uint64_t kMostBytes = uint64_t{16} << 30;
  SUSURRUS_RETURN_IF_ERROR(writer_->open());
  CheckedSink nowhere(nullptr, writer_->file_byte_count());
  SUSURRUS_RETURN_IF_ERROR(writer_->begin(nowhere));
  uint64_t total = 0;
  for (const FilePart& part : parts()) total += std::min(part.byte_count, kMostBytes);
  if (writer_->rehearsal() == PartsWriter::Rehearsal::front || total > kMostBytes) {
    return ok_status();
  }
  for (const FilePart& part : parts()) {
    for (uint64_t left = part.byte_count; left > 0;) {
      const uint64_t count = std::min<uint64_t>(left, kZeros.size());
      SUSURRUS_RETURN_IF_ERROR(writer_->write(ByteSpan(kZeros.data(), count), nowhere));
      left -= count;
    }
    SUSURRUS_RETURN_IF_ERROR(writer_->finish_part(nowhere));
  }
  SUSURRUS_RETURN_IF_ERROR(writer_->finish(nowhere));
  return nowhere.finish();
}

bool ModelComposer::needs_scanning() const {
  return std::any_of(parts().begin(), parts().end(), [](const FilePart& part) {
    return part.weights == Dtype::i8 && !(part.scale > 0);
  });
}

bool ModelComposer::needs_measuring() const {
  return writer_->compression() != PartsWriter::Compression::none;
}

Status ModelComposer::begin(Pass pass) {
  SUSURRUS_RETURN_IF_ERROR(require(State::planned));
  return keep(start_pass(pass));
}

Status ModelComposer::start_pass(Pass pass) {
  pass_ = pass;
  current_ = 0;
  state_ = State::between_parts;
  if (pass == Pass::scan) {
    encoded_ = std::make_unique<LargestValue>();
    return ok_status();
  }
  if (pass == Pass::measure) {
    encoded_ = std::make_unique<NullSink>();
    return ok_status();
  }
  SUSURRUS_RETURN_IF_ERROR(writer_->open());
  file_ = std::make_unique<CheckedSink>(&output_, writer_->file_byte_count());
  encoded_ = std::make_unique<StoredSink>(*writer_, *file_);
  return writer_->begin(*file_);
}

Status ModelComposer::begin_part(bool is_floats) {
  SUSURRUS_RETURN_IF_ERROR(require(State::between_parts));
  return keep(start_part(is_floats));
}

Status ModelComposer::start_part(bool is_floats) {
  if (current_ == parts().size()) return wrong_description("part").with_got("one too many");
  const FilePart& part = this->part();
  const bool wants_scale = part.weights == Dtype::i8 && !(part.scale > 0);
  if (is_floats ? !part.weights : wants_scale) {
    return make_error(ErrorCode::invalid_argument,
                      is_floats ? ErrorReason::unsupported_dtype : ErrorReason::bad_scale)
        .with_subject(part.name)
        .with_expected(is_floats ? part.dtype : std::string_view("a scale beside the integers"))
        .with_got(is_floats ? "f32" : "none");
  }
  expected_ = is_floats ? part.element_count * sizeof(float) : part.byte_count;
  pushed_ = 0;
  state_ = State::in_part;
  // Bytes that are not converted pass through, whatever their type.
  const TensorEncoder::Type target{part.weights.value_or(Dtype::f32), part.scale};
  const TensorEncoder::Type source =
      is_floats ? TensorEncoder::Type{Dtype::f32, target.dtype == Dtype::f32 ? part.scale : 0}
                : target;
  if (pass_ == Pass::scan) {
    encoder_.start(source, is_floats ? TensorEncoder::Type{} : source, false);
  } else {
    encoder_.start(source, target, pass_ == Pass::measure || part.is_compressed);
  }
  return ok_status();
}

Status ModelComposer::push(ByteSpan bytes) {
  SUSURRUS_RETURN_IF_ERROR(require(State::in_part));
  return keep(take(bytes));
}

Status ModelComposer::take(ByteSpan bytes) {
  pushed_ += bytes.size();
  if (pushed_ > expected_) return wrong_size(part(), expected_, pushed_);
  // Integers with a scale need none found.
  if (pass_ == Pass::scan && part().scale > 0) return ok_status();
  return encoder_.push(bytes, *encoded_);
}

Status ModelComposer::finish_part() {
  SUSURRUS_RETURN_IF_ERROR(require(State::in_part));
  return keep(end_part());
}

Status ModelComposer::end_part() {
  FilePart& part = this->part();
  if (pushed_ != expected_) return wrong_size(part, expected_, pushed_);
  SUSURRUS_RETURN_IF_ERROR(encoder_.finish(*encoded_));
  if (pass_ == Pass::scan && !(part.scale > 0)) {
    const float largest = static_cast<LargestValue&>(*encoded_).take();
    if (!std::isfinite(largest)) {
      return make_error(ErrorCode::invalid_argument, ErrorReason::bad_scale)
          .with_subject(part.name)
          .with_expected("finite values");
    }
    part.scale = integer_scale(largest);
  } else if (pass_ == Pass::measure) {
    const uint64_t stored = encoder_.stored_byte_count();
    part.is_compressed =
        writer_->compression() == PartsWriter::Compression::always || stored < part.byte_count;
    part.stored_byte_count = part.is_compressed ? stored : part.byte_count;
  } else if (pass_ == Pass::write) {
    if (encoder_.stored_byte_count() != part.stored_byte_count) {
      return make_error(ErrorCode::invalid_argument, ErrorReason::source)
          .with_subject(part.name)
          .with_expected("the same values each time that they are asked for");
    }
    SUSURRUS_RETURN_IF_ERROR(writer_->finish_part(*file_));
  }
  ++current_;
  state_ = State::between_parts;
  return ok_status();
}

Status ModelComposer::finish() {
  SUSURRUS_RETURN_IF_ERROR(require(State::between_parts));
  return keep(end_pass());
}

Status ModelComposer::end_pass() {
  if (current_ != parts().size()) {
    return make_error(ErrorCode::wrong_state, ErrorReason::state)
        .with_subject(part().name)
        .with_expected("all parts");
  }
  state_ = State::planned;
  if (pass_ != Pass::write) return ok_status();
  SUSURRUS_RETURN_IF_ERROR(writer_->finish(*file_));
  SUSURRUS_RETURN_IF_ERROR(file_->finish());
  warnings_ = file_->warnings();
  return ok_status();
}

}  // namespace susurrus
