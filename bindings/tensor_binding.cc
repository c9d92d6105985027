#include <emscripten/bind.h>

#include <optional>
#include <vector>

#include "convert/tensor_decoder.h"
#include "convert/value_statistics.h"
#include "input_window.h"
#include "inspector_binding.h"

namespace susurrus {
namespace {

/// Decodes one tensor after the other from bytes that are pushed; tensor_decoder.h tells the order of calls.
class TensorBinding : private DecodedTensorSink {
 public:
  /// `counts`: values are counted instead of kept.
  explicit TensorBinding(bool counts) : counts_(counts) {}

  /// A tensor of a file whose reading is finished, by its place in facts(). The inspector stays until the tensor is finished.
  ErrorText start(const InspectorBinding& inspector, uint32_t tensor) {
    const std::vector<CheckpointTensor>& tensors = inspector.checkpoint().tensors;
    if (tensor >= tensors.size()) return failure(Status(wrong_tensor()));
    clear(tensors[tensor].info.is_compressed);
    return failure(decoder_.start(tensors[tensor]));
  }
  /// Starts a tensor of an encrypted file, whose bytes arrive decrypted; `byte_count` is their
  /// count.
  ErrorText start_decrypted(const InspectorBinding& inspector, uint32_t tensor, double byte_count) {
    const std::vector<CheckpointTensor>& tensors = inspector.checkpoint().tensors;
    if (tensor >= tensors.size() || !(byte_count >= 0)) return failure(Status(wrong_tensor()));
    decrypted_ = tensors[tensor];
    decrypted_.info.stored_byte_count = static_cast<uint64_t>(byte_count);
    clear(decrypted_.info.is_compressed);
    return failure(decoder_.start(decrypted_));
  }
  /// Starts a tensor that only the file's description knows, not its checkpoint.
  ErrorText start_numbers(const std::string& name, const std::string& type, double byte_count,
                          float scale, float offset) {
    name_ = name;
    clear(false);
    if (!(byte_count >= 0)) return failure(Status(wrong_tensor()));
    const auto bytes = static_cast<uint64_t>(byte_count);
    return failure(decoder_.start(TensorDecoder::Numbers{name_, type, bytes, scale, offset}));
  }
  ByteView input_window(double byte_count) {
    const double most = is_compressed_ ? TensorDecoder::kMaxCompressedBytes : kMaxBytes;
    return window_.fill(std::min(byte_count, most));
  }
  /// What comes of it are the stored bytes and the values until the next push.
  ErrorText push(double byte_count) {
    auto bytes = window_.filled(byte_count);
    if (!bytes) return failure(bytes);
    stored_.clear();
    values_.clear();
    return failure(decoder_.push(*bytes));
  }
  ErrorText finish() { return failure(decoder_.finish()); }

  ByteView stored() const { return view(std::span<const uint8_t>(stored_)); }
  FloatView values() const { return view(std::span<const float>(values_)); }
  /// JSON of all values of the tensor: value_statistics.h.
  std::string statistics() const {
    JsonWriter json;
    statistics_.write(json);
    return std::move(json).text();
  }

 private:
  static constexpr size_t kMaxBytes = 64 << 10;

  static Error wrong_tensor() {
    return make_error(ErrorCode::invalid_argument, ErrorReason::bounds).with_subject("tensor");
  }

  void clear(bool is_compressed) {
    is_compressed_ = is_compressed;
    statistics_ = {};
    stored_.clear();
    values_.clear();
  }

  void on_stored(ByteSpan bytes) override {
    if (!counts_) stored_.insert(stored_.end(), bytes.begin(), bytes.end());
  }
  void on_values(std::span<const float> values) override {
    if (counts_) {
      statistics_.add(values);
    } else {
      values_.insert(values_.end(), values.begin(), values.end());
    }
  }

  bool counts_;
  bool is_compressed_ = false;
  TensorDecoder decoder_{*this};
  std::string name_;
  CheckpointTensor decrypted_;
  ValueStatistics statistics_;
  std::vector<uint8_t> stored_;
  std::vector<float> values_;
  InputWindow window_{kMaxBytes};
};

}  // namespace

EMSCRIPTEN_BINDINGS(tensor) {
  emscripten::class_<TensorBinding>("TensorDecoder")
      .constructor<bool>()
      .function("start(inspector, tensor)", &TensorBinding::start)
      .function("startDecrypted(inspector, tensor, byteCount)", &TensorBinding::start_decrypted)
      .function("startNumbers(name, type, byteCount, scale, offset)", &TensorBinding::start_numbers)
      .function("inputWindow(byteCount)", &TensorBinding::input_window)
      .function("push(byteCount)", &TensorBinding::push)
      .function("finish", &TensorBinding::finish)
      .function("stored", &TensorBinding::stored)
      .function("values", &TensorBinding::values)
      .function("statistics", &TensorBinding::statistics);
}

}  // namespace susurrus
