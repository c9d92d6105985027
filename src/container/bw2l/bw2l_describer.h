#pragma once
#include "container/bw2l/bw2l_reader.h"
#include "container/file_describer.h"

namespace susurrus {

/// Reads a BW2L file and describes it: its settings, its sections, its layers, and each array as a tensor of one dimension.
class Bw2lDescriber : public FileDescriber {
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
  Bw2lReader reader_;
  uint64_t received_ = 0;
};

}  // namespace susurrus
