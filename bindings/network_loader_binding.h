#pragma once
#include <algorithm>

#include "input_window.h"
#include "session/networks/network_file.h"

namespace susurrus {

/// Takes a file of a family that runs on graphs.
class NetworkLoaderBinding {
 public:
  ByteView input_window(double byte_count) { return window_.fill(byte_count); }
  void set_byte_count(double byte_count) {
    file_.set_byte_count(static_cast<uint64_t>(std::max(byte_count, 0.0)));
  }
  /// Before the first push: "f32" or "q8_0".
  ErrorText set_weights(const std::string& dtype) {
    if (dtype != "f32" && dtype != "q8_0") {
      return to_text(make_error(ErrorCode::invalid_argument, ErrorReason::option)
                         .with_subject("dtype")
                         .with_expected("f32 or q8_0")
                         .with_got(dtype));
    }
    file_.set_weights(dtype == "f32" ? WeightType::f32 : WeightType::q8_0);
    return {};
  }
  /// Before the first push: the first that begin_text() will name.
  void expect_text(const std::string& name) { file_.expect_text(name); }
  /// After finish(): "lexicon" or "languageModel" follows, up to another finish(). A byte count below 0 is not known.
  ErrorText begin_text(const std::string& name, double byte_count) {
    if (byte_count < 0) return failure(file_.begin_text(name, std::nullopt));
    return failure(file_.begin_text(name, static_cast<uint64_t>(byte_count)));
  }
  ErrorText push(double byte_count) { return window_.push_to(file_, byte_count); }
  ErrorText finish() {
    window_.release();
    return failure(file_.finish());
  }

  NetworkFile& file() { return file_; }

 private:
  NetworkFile file_;
  InputWindow window_{256 << 10};
};

}  // namespace susurrus
