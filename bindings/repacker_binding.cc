#include <emscripten/bind.h>

#include "convert/repacker.h"
#include "inspector_binding.h"
#include "output_files.h"
#include "text_window.h"

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
  /// For plan().
  ByteView text_window(double byte_count) { return text_.fill(byte_count); }
  /// `inspector` has read the source; the text window holds the new metadata.
  ErrorText plan(const InspectorBinding& inspector, double shard_byte_count, uint32_t alignment) {
    return failure(
        repacker_.plan(inspector.sink(), text_.text(), files_options(shard_byte_count, alignment)));
  }
  uint32_t tensor_count() const { return repacker_.tensor_count(); }
  StoredRangeValue source_range(uint32_t tensor) const {
    const Repacker::SourceRange& range = repacker_.source_range(tensor);
    return {range.file, static_cast<double>(range.offset), static_cast<double>(range.byte_count)};
  }
  std::string files() const { return files_text(&repacker_.files()); }
  ByteView input_window(double byte_count) { return window_.fill(byte_count); }
  ErrorText push(double byte_count) { return window_.push_to(repacker_, byte_count); }
  ErrorText finish_tensor() { return failure(repacker_.finish_tensor()); }
  ErrorText finish() { return failure(repacker_.finish()); }
  ByteView output() const { return view(repacker_.output()); }
  void consume_output() { repacker_.consume_output(); }

 private:
  Repacker repacker_;
  InputWindow window_{Repacker::kMaxPushBytes};
  TextWindow text_;
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
