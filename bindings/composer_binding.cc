#include <emscripten/bind.h>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "convert/compose/model_composer.h"
#include "input_window.h"
#include "text_window.h"

namespace susurrus {
namespace {

/// A file made from its parts; model_composer.h tells the order of calls.
class ComposerBinding {
 public:
  /// For plan().
  ByteView text_window(double byte_count) { return text_.fill(byte_count); }
  ErrorText plan() {
    const Status status = composer_.plan(text_.text());
    text_.release();
    return failure(status);
  }
  /// A JSON list of {name, dtype, elementCount, byteCount}.
  std::string parts() const {
    JsonWriter json;
    json.begin_array();
    for (const FilePart& part : composer_.parts()) {
      json.begin_object()
          .field("name", std::string_view(replace_invalid_utf8(part.name)))
          .field("dtype", part.dtype)
          .field("elementCount", part.element_count)
          .field("byteCount", part.byte_count)
          .end_object();
    }
    return std::move(json.end_array()).text();
  }
  bool needs_scanning() const { return composer_.needs_scanning(); }
  bool needs_measuring() const { return composer_.needs_measuring(); }
  ErrorText begin(ModelComposer::Pass pass) { return failure(composer_.begin(pass)); }
  ErrorText begin_part(bool is_floats) { return failure(composer_.begin_part(is_floats)); }
  ByteView input_window(double byte_count) { return window_.fill(byte_count); }
  ErrorText push(double byte_count) { return window_.push_to(composer_, byte_count); }
  ErrorText finish_part() { return failure(composer_.finish_part()); }
  ErrorText finish() { return failure(composer_.finish()); }
  ByteView output() const { return view(composer_.output()); }
  void consume_output() { composer_.consume_output(); }
  /// A JSON list of texts.
  std::string warnings() const {
    JsonWriter json;
    return json.value(std::span<const std::string>(composer_.warnings())).text();
  }

 private:
  ModelComposer composer_;
  InputWindow window_{ModelComposer::kMaxPushBytes};
  TextWindow text_;
};

}  // namespace

EMSCRIPTEN_BINDINGS(composer) {
  emscripten::enum_<ModelComposer::Pass>("ComposerPass")
      .value("scan", ModelComposer::Pass::scan)
      .value("measure", ModelComposer::Pass::measure)
      .value("write", ModelComposer::Pass::write);
  emscripten::class_<ComposerBinding>("Composer")
      .constructor<>()
      .function("textWindow(byteCount)", &ComposerBinding::text_window)
      .function("plan", &ComposerBinding::plan)
      .function("parts", &ComposerBinding::parts)
      .function("needsScanning", &ComposerBinding::needs_scanning)
      .function("needsMeasuring", &ComposerBinding::needs_measuring)
      .function("begin(pass)", &ComposerBinding::begin)
      .function("beginPart(isFloats)", &ComposerBinding::begin_part)
      .function("inputWindow(byteCount)", &ComposerBinding::input_window)
      .function("push(byteCount)", &ComposerBinding::push)
      .function("finishPart", &ComposerBinding::finish_part)
      .function("finish", &ComposerBinding::finish)
      .function("output", &ComposerBinding::output)
      .function("consumeOutput", &ComposerBinding::consume_output)
      .function("warnings", &ComposerBinding::warnings);
}

}  // namespace susurrus
