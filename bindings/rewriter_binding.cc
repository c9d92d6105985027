#include <emscripten/bind.h>

#include "base/json_writer.h"
#include "convert/file_rewriter.h"
#include "input_window.h"

namespace susurrus {
namespace {

/// A file of a format that has no other here, once more in its own; file_rewriter.h tells the order of calls. open() comes
/// first.
class RewriterBinding {
 public:
  explicit RewriterBinding(double file_byte_count)
      : file_byte_count_(static_cast<uint64_t>(file_byte_count)) {}

  ByteView input_window(double byte_count) { return window_.fill(byte_count); }
  /// The window holds the first bytes of the file, 64 or all. False: it is of another format.
  bool open(double byte_count) {
    auto bytes = window_.filled(byte_count);
    if (bytes) rewriter_ = open_rewriter(*bytes, file_byte_count_);
    return rewriter_ != nullptr;
  }
  std::string format() const { return rewriter_->format(); }
  bool is_writing() const { return rewriter_->is_writing(); }
  bool is_complete() const { return rewriter_->is_complete(); }
  void begin_pass() { rewriter_->begin_pass(); }
  ErrorText push(double byte_count) { return window_.push_to(*rewriter_, byte_count); }
  ErrorText finish_pass() { return failure(rewriter_->finish_pass()); }
  ByteView output() const { return view(rewriter_->output()); }
  void consume_output() { rewriter_->consume_output(); }
  double tensor_count() const { return static_cast<double>(rewriter_->tensor_count()); }
  /// A JSON list of texts.
  std::string warnings() const {
    JsonWriter json;
    return json.value(std::span<const std::string>(rewriter_->warnings())).text();
  }

 private:
  uint64_t file_byte_count_;
  std::unique_ptr<FileRewriter> rewriter_;
  InputWindow window_{1 << 20};
};

}  // namespace

EMSCRIPTEN_BINDINGS(rewriter) {
  emscripten::class_<RewriterBinding>("Rewriter")
      .constructor<double>()
      .function("inputWindow(byteCount)", &RewriterBinding::input_window)
      .function("open(byteCount)", &RewriterBinding::open)
      .function("format", &RewriterBinding::format)
      .function("isWriting", &RewriterBinding::is_writing)
      .function("isComplete", &RewriterBinding::is_complete)
      .function("beginPass", &RewriterBinding::begin_pass)
      .function("push(byteCount)", &RewriterBinding::push)
      .function("finishPass", &RewriterBinding::finish_pass)
      .function("output", &RewriterBinding::output)
      .function("consumeOutput", &RewriterBinding::consume_output)
      .function("tensorCount", &RewriterBinding::tensor_count)
      .function("warnings", &RewriterBinding::warnings);
}

}  // namespace susurrus
