#pragma once
#include "container/april/april_reader.h"
#include "container/file_describer.h"

namespace susurrus {

/// Reads an .april file and describes it: header, params, number of tokens, and of each network its place, its inputs and outputs
/// and its operators.
class AprilDescriber : public FileDescriber {
 public:
  void set_file_byte_count(uint64_t byte_count) override {
    reader_.set_file_byte_count(byte_count);
  }
  Status push(ByteSpan chunk) override;
  uint64_t skippable() const override { return reader_.skippable(); }
  void skip(uint64_t byte_count) override {
    reader_.skip(byte_count);
    received_ += byte_count;
  }
  Status finish() override { return reader_.finish(); }
  std::string facts() const override;

 private:
  AprilReader reader_;
  uint64_t received_ = 0;
};

}  // namespace susurrus
