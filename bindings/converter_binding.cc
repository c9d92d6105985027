#include <emscripten/bind.h>

#include "audio/log_mel.h"
#include "audio/mel_filterbank.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "checkpoint_source.h"
#include "convert/converter.h"
#include "filterbank_choice.h"
#include "input_window.h"
#include "output_files.h"
#include "text_window.h"

namespace susurrus {
namespace {

struct SourceRangeValue {
  uint32_t source = 0;
  double offset = 0;
  double byte_count = 0;
};

/// A checkpoint and a metadata text to one APR2 or APR1 file; converter.h tells the order of calls.
class ConverterBinding {
 public:
  /// `format`: "apr2", "apr1", "safetensors" or "ggml"; `dtype`: "f32", "q8_0", with APR1 also "int8", or "exact". `shard_byte_count` 0: one file.
  ConverterBinding(const std::string& format, const std::string& dtype, bool compress,
                   double shard_byte_count, uint32_t alignment)
      : converter_(target_of(format, dtype, compress, shard_byte_count, alignment)) {}

  /// For push(); at most kMaxPushBytes.
  ByteView input_window(double byte_count) { return window_.fill(byte_count); }
  /// For set_metadata().
  ByteView text_window(double byte_count) { return text_.fill(byte_count); }
  /// `source` must have been read to its end.
  ErrorText add_source(const CheckpointSource& source) {
    return failure(converter_.add_source(source.checkpoint()));
  }
  void leave_out_filterbank_tensor() { converter_.leave_out_filterbank_tensor(); }
  ErrorText set_metadata() {
    Status status = converter_.set_metadata(text_.text());
    text_.release();
    return failure(status);
  }

  /// After set_metadata(): what is to be said of a filterbank that a source without a metadata text brought; empty if nothing.
  std::string filterbank_warning() const {
    return std::string(foreign_filterbank(converter_.metadata()));
  }
  bool needs_measuring() const { return converter_.needs_measuring(); }
  bool needs_scanning() const { return converter_.needs_scanning(); }
  ErrorText begin(Converter::Pass pass) { return failure(converter_.begin(pass)); }
  uint32_t tensor_count() const { return converter_.tensor_count(); }
  SourceRangeValue source_range(uint32_t tensor) const {
    auto range = converter_.source_range(tensor);
    return {range.source, static_cast<double>(range.offset), static_cast<double>(range.byte_count)};
  }
  std::string tensor_name(uint32_t tensor) const {
    return std::string(converter_.tensor_name(tensor));
  }
  ErrorText push(double byte_count) { return window_.push_to(converter_, byte_count); }
  ErrorText finish_tensor() { return failure(converter_.finish_tensor()); }
  ErrorText finish() { return failure(converter_.finish()); }
  ByteView output() const { return view(converter_.output()); }
  void consume_output() { converter_.consume_output(); }
  std::string files() const { return files_text(converter_.files()); }
  /// A JSON list of {name, dtype, relativeError}, of the tensors that are written so far.
  std::string tensors() const {
    JsonWriter json;
    json.begin_array();
    for (uint32_t i = 0; i < converter_.written().size(); ++i) {
      json.begin_object()
          .field("name", converter_.tensor_name(i))
          .field("dtype", dtype_traits(converter_.written()[i].dtype).name)
          .field("relativeError", converter_.written()[i].relative_error)
          .end_object();
    }
    return std::move(json.end_array()).text();
  }
  /// A JSON list of texts.
  std::string warnings() const {
    JsonWriter json;
    return json.value(std::span<const std::string>(converter_.warnings())).text();
  }

 private:
  static Converter::Target target_of(const std::string& format, const std::string& dtype,
                                     bool compress, double shard_byte_count, uint32_t alignment) {
    Converter::Target target;
    if (format == "apr1") target.format = Converter::Format::apr1;
    if (format == "safetensors") target.format = Converter::Format::safetensors;
    if (format == "ggml") target.format = Converter::Format::ggml;
    target.dtype = dtype == "int8" ? Dtype::i8 : dtype_from_name(dtype);
    if (compress) target.compression = Converter::Compression::lz4;
    target.files = files_options(shard_byte_count, alignment);
    return target;
  }

  static constexpr uint64_t kMaxTextBytes = 2 * limits::kMetadataBytes;

  Converter converter_;
  InputWindow window_{Converter::kMaxPushBytes};
  TextWindow text_{kMaxTextBytes};
};

/// Slaney's filterbank, [nMels, 201].
class FilterbankBinding {
 public:
  explicit FilterbankBinding(uint32_t n_mels) {
    if (n_mels == 0 || n_mels > MelFilterbank::kMaxMels) return;
    auto values =
        AlignedBuffer::allocate(uint64_t{n_mels} * kFrequencyBins * sizeof(float), "filterbank");
    if (!values) return;
    values_ = std::move(values).value();
    MelFilterbank::slaney(n_mels, values_.floats());
  }
  /// Empty for an impossible n_mels.
  FloatView values() const { return view(values_.floats()); }

 private:
  AlignedBuffer values_;
};

}  // namespace

EMSCRIPTEN_BINDINGS(converter) {
  emscripten::value_object<SourceRangeValue>("SourceRange")
      .field("source", &SourceRangeValue::source)
      .field("offset", &SourceRangeValue::offset)
      .field("byteCount", &SourceRangeValue::byte_count);
  emscripten::enum_<Converter::Pass>("Pass")
      .value("scan", Converter::Pass::scan)
      .value("measure", Converter::Pass::measure)
      .value("write", Converter::Pass::write);
  emscripten::class_<ConverterBinding>("Converter")
      .constructor<std::string, std::string, bool, double, uint32_t>()
      .function("inputWindow(byteCount)", &ConverterBinding::input_window)
      .function("textWindow(byteCount)", &ConverterBinding::text_window)
      .function("addSource(source)", &ConverterBinding::add_source)
      .function("leaveOutFilterbankTensor", &ConverterBinding::leave_out_filterbank_tensor)
      .function("setMetadata", &ConverterBinding::set_metadata)
      .function("filterbankWarning", &ConverterBinding::filterbank_warning)
      .function("needsMeasuring", &ConverterBinding::needs_measuring)
      .function("needsScanning", &ConverterBinding::needs_scanning)
      .function("begin(pass)", &ConverterBinding::begin)
      .function("tensorCount", &ConverterBinding::tensor_count)
      .function("sourceRange(tensor)", &ConverterBinding::source_range)
      .function("tensorName(tensor)", &ConverterBinding::tensor_name)
      .function("push(byteCount)", &ConverterBinding::push)
      .function("finishTensor", &ConverterBinding::finish_tensor)
      .function("finish", &ConverterBinding::finish)
      .function("output", &ConverterBinding::output)
      .function("consumeOutput", &ConverterBinding::consume_output)
      .function("files", &ConverterBinding::files)
      .function("tensors", &ConverterBinding::tensors)
      .function("warnings", &ConverterBinding::warnings);
  emscripten::class_<FilterbankBinding>("Filterbank")
      .constructor<uint32_t>()
      .function("values", &FilterbankBinding::values);
}

}  // namespace susurrus
