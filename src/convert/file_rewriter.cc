#include "convert/file_rewriter.h"

#include "container/april/april_reader.h"
#include "container/april/april_writer.h"
#include "container/bw2l/bw2l_reader.h"
#include "container/bw2l/bw2l_writer.h"
#include "container/detect.h"
#include "container/tennis/tennis_describer.h"
#include "container/tennis/tennis_writer.h"

namespace susurrus {
namespace {

/// What a writer that was planned for a file rejects of it is what was not there when it was planned.
Error changed(const Error& error) {
  return make_error(ErrorCode::source_failed, ErrorReason::source)
      .with_subject("file")
      .with_expected("the same bytes in each pass")
      .with_got(error.subject.view());
}

/// For formats whose writer needs the whole model first: one pass reads, the others write.
template <typename Reader, typename Writer>
class TwoPassRewriter : public FileRewriter {
 public:
  explicit TwoPassRewriter(uint64_t file_byte_count) : file_byte_count_(file_byte_count) {}

  Status push(ByteSpan chunk) final {
    SUSURRUS_RETURN_IF_ERROR(begin_writing());
    return reader_->push(chunk);
  }
  Status finish_pass() final {
    SUSURRUS_RETURN_IF_ERROR(begin_writing());
    SUSURRUS_RETURN_IF_ERROR(reader_->finish());
    if (writer_ != nullptr) return ok_status();
    warnings_ = reader_->warnings();
    SUSURRUS_ASSIGN_OR_RETURN(writer_, plan());
    return ok_status();
  }
  bool is_writing() const final { return writer_ != nullptr; }
  const std::vector<std::string>& warnings() const final { return warnings_; }

 protected:
  virtual Result<std::unique_ptr<Writer>> plan() = 0;

  template <typename Sink>
  void read_again(Sink* sink) {
    reader_.emplace(writer_ != nullptr ? sink : nullptr);
    reader_->set_file_byte_count(file_byte_count_);
  }
  Status write(ByteSpan bytes) {
    auto status = writer_->write(bytes, output_);
    return status ? ok_status() : Status(changed(status.error()));
  }
  Status begin_writing() {
    if (writer_ == nullptr || has_begun_) return ok_status();
    has_begun_ = true;
    return writer_->begin(output_);
  }

  std::optional<Reader> reader_;
  std::unique_ptr<Writer> writer_;

 private:
  uint64_t file_byte_count_;
  bool has_begun_ = false;
  std::vector<std::string> warnings_;
};

class AprilRewriter : public TwoPassRewriter<AprilReader, AprilWriter>, private AprilSink {
 public:
  using TwoPassRewriter::TwoPassRewriter;
  const char* format() const override { return "april"; }
  bool is_complete() const override { return writer_ != nullptr && current_ == networks_.size(); }
  uint64_t tensor_count() const override {
    uint64_t count = 0;
    for (const OnnxNetwork& network : writer_->model().networks) count += network.initializer_count;
    return count;
  }
  void begin_pass() override {
    read_again<AprilSink>(this);
    seen_ = {};
  }

 private:
  Result<std::unique_ptr<AprilWriter>> plan() override {
    if (reader_->model().model_type != kAprilLstmTransducer) {
      return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported)
          .with_subject("model type")
          .with_expected(kAprilLstmTransducer)
          .with_got(reader_->model().model_type);
    }
    const AprilOrder order = april_order_of(reader_->model());
    size_t count = 0;
    for (const AprilPart part : order) {
      if (part != AprilPart::params) networks_[count++] = static_cast<size_t>(part);
    }
    return AprilWriter::plan(reader_->model(), order);
  }
  /// Networks that share bytes come side by side, and are written one after the other: the second one in another pass.
  Status on_network_bytes(size_t index, ByteSpan bytes) override {
    const bool is_next = !is_complete() && networks_[current_] == index && seen_[index] == taken_;
    seen_[index] += bytes.size();
    if (!is_next) return ok_status();
    taken_ += bytes.size();
    if (taken_ == writer_->model().network_ranges[index].byte_count) {
      ++current_;
      taken_ = 0;
    }
    return write(bytes);
  }

  std::array<size_t, kAprilNetworks> networks_ = {};
  size_t current_ = 0;
  /// Bytes of the current network written so far, and bytes of each network read in this pass.
  uint64_t taken_ = 0;
  std::array<uint64_t, kAprilNetworks> seen_ = {};
};

class Bw2lRewriter : public TwoPassRewriter<Bw2lReader, Bw2lWriter>, private Bw2lSink {
 public:
  using TwoPassRewriter::TwoPassRewriter;
  const char* format() const override { return "BW2L"; }
  bool is_complete() const override { return passes_ == 2; }
  uint64_t tensor_count() const override {
    uint64_t count = 0;
    for (const Bw2lSection& section : reader_->model().sections) {
      count += section.kind() == Bw2lKind::array;
      for (const Bw2lLayer& layer : section.layers) count += layer.arrays.size();
    }
    return count;
  }
  void begin_pass() override {
    read_again<Bw2lSink>(this);
    ++passes_;
  }

 private:
  Result<std::unique_ptr<Bw2lWriter>> plan() override { return Bw2lWriter::plan(reader_->model()); }
  Status on_bytes(const Bw2lSection&, ByteSpan bytes) override { return write(bytes); }

  uint32_t passes_ = 0;
};

/// The writer checks a byte when it is written, the reader when the next one comes: what the writer calls its caller's mistake is
/// the file's.
Status of_file(const Status& status) {
  if (status || status.error().code != ErrorCode::invalid_argument) return status;
  Error error = status.error();
  error.code = error.reason == ErrorReason::unsupported ? ErrorCode::unsupported_feature
                                                        : ErrorCode::malformed;
  return error;
}

class TennisRewriter : public FileRewriter {
 public:
  explicit TennisRewriter(uint64_t file_byte_count) : writer_(output_), reader_(writer_) {
    reader_.set_file_byte_count(file_byte_count);
  }
  const char* format() const override { return "TenniS"; }
  bool is_writing() const override { return true; }
  bool is_complete() const override { return is_complete_; }
  uint64_t tensor_count() const override { return writer_.tensor_count; }
  void begin_pass() override {}
  Status push(ByteSpan chunk) override { return of_file(reader_.push(chunk)); }
  Status finish_pass() override {
    SUSURRUS_RETURN_IF_ERROR(of_file(reader_.finish()));
    is_complete_ = true;
    return of_file(writer_.finish());
  }
  const std::vector<std::string>& warnings() const override { return writer_.warnings(); }

 private:
  struct CountingWriter : TennisWriter {
    using TennisWriter::TennisWriter;
    Status on_parameter(std::string_view name, uint32_t field_count) override {
      if (name == "value") tensor_count += field_count;
      return TennisWriter::on_parameter(name, field_count);
    }
    uint64_t tensor_count = 0;
  };

  CountingWriter writer_;
  TennisReader reader_;
  bool is_complete_ = false;
};

}  // namespace

std::unique_ptr<FileRewriter> open_rewriter(ByteSpan first_bytes, uint64_t file_byte_count) {
  const auto kind = recognise(first_bytes, file_byte_count);
  if (!kind) return nullptr;
  if (*kind == FileKind::april) return std::make_unique<AprilRewriter>(file_byte_count);
  if (*kind == FileKind::bw2l) return std::make_unique<Bw2lRewriter>(file_byte_count);
  if (*kind == FileKind::tennis || (*kind == FileKind::unknown && is_swapped_tennis(first_bytes))) {
    return std::make_unique<TennisRewriter>(file_byte_count);
  }
  return nullptr;
}

}  // namespace susurrus
