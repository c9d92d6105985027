#include <emscripten/bind.h>

#include "convert/repacker.h"
#include "inspector_binding.h"
#include "output_files.h"

namespace susurrus {
namespace {

struct StoredRangeValue {
  uint32_t file = 0;
  double offset = 0;
  double byte_count = 0;
};

/// A model's tensors as they are stored into other files; repacker.h tells the order of calls.
class RepackerBinding {
 public:
  /// For plan(), which wants its text whole. Empty when there is no memory for it.
  ByteView text_window(double byte_count) {
    text_.reset();
    auto buffer = AlignedBuffer::allocate(static_cast<uint64_t>(std::max(byte_count, 0.0)), "text");
    if (buffer) text_ = std::move(buffer).value();
    return view(text_.bytes());
  }
  /// `inspector` has read the source; the text window holds the new metadata.
  ErrorText plan(const InspectorBinding& inspector, double shard_byte_count, uint32_t alignment) {
    return failure(repacker_.plan(inspector.sink(), as_text(text_.bytes()),
                                  files_options(shard_byte_count, alignment)));
  }
  uint32_t tensor_count() const { return repacker_.tensor_count(); }
  StoredRangeValue source_range(uint32_t tensor) const {
    const Repacker::SourceRange& range = repacker_.source_range(tensor);
    return {range.file, static_cast<double>(range.offset), static_cast<double>(range.byte_count)};
  }
  std::string files() const { return files_text(&repacker_.files()); }
  ByteView input_window(double byte_count) { return window_.fill(byte_count); }
  ErrorText push(double byte_count) {
    auto bytes = window_.filled(byte_count);
    if (!bytes) return failure(bytes);
    return failure(repacker_.push(*bytes));
  }
  ErrorText finish_tensor() { return failure(repacker_.finish_tensor()); }
  ErrorText finish() { return failure(repacker_.finish()); }
  ByteView output() const { return view(repacker_.output()); }
  void consume_output() { repacker_.consume_output(); }

 private:
  Repacker repacker_;
  InputWindow window_{Repacker::kMaxPushBytes};
  AlignedBuffer text_;
};

}  // namespace

EMSCRIPTEN_BINDINGS(repacker) {
  emscripten::value_object<StoredRangeValue>("StoredRange")
      .field("file", &StoredRangeValue::file)
      .field("offset", &StoredRangeValue::offset)
      .field("byteCount", &StoredRangeValue::byte_count);
  emscripten::class_<RepackerBinding>("Repacker")
      .constructor<>()
      .function("textWindow(byteCount)", &RepackerBinding::text_window)
      .function("plan(inspector, shardByteCount, alignment)", &RepackerBinding::plan)
      .function("tensorCount", &RepackerBinding::tensor_count)
      .function("sourceRange(tensor)", &RepackerBinding::source_range)
      .function("files", &RepackerBinding::files)
      .function("inputWindow(byteCount)", &RepackerBinding::input_window)
      .function("push(byteCount)", &RepackerBinding::push)
      .function("finishTensor", &RepackerBinding::finish_tensor)
      .function("finish", &RepackerBinding::finish)
      .function("output", &RepackerBinding::output)
      .function("consumeOutput", &RepackerBinding::consume_output);
}

}  // namespace susurrus
