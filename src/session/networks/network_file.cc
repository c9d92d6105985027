#include "session/networks/network_file.h"

#include <algorithm>

#include "container/bw2l/bw2l_reader.h"
#include "graph/onnx/onnx_graph.h"
#include "session/networks/transducer_engine.h"

namespace susurrus {
namespace {

constexpr uint64_t kLeastMemory = 1 << 20;

Error not_that(std::string_view expected, std::string_view format) {
  return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported)
      .with_subject("file")
      .with_expected(expected)
      .with_got(format);
}

Error no_beam_search(std::string_view text, std::string_view format) {
  return make_error(ErrorCode::unsupported_feature, ErrorReason::model)
      .with_subject(text)
      .with_expected("a BW2L model")
      .with_got(format);
}

}  // namespace

Status NetworkFile::reserve(uint64_t byte_count) {
  if (byte_count <= buffer_.byte_count()) return ok_status();
  const uint64_t doubled = std::max<uint64_t>(2 * uint64_t{buffer_.byte_count()}, kLeastMemory);
  // Bytes held after the first ones are held to the end.
  const uint64_t wanted =
      kind_ ? std::max(byte_count, known_byte_count_.value_or(doubled)) : byte_count;
  SUSURRUS_ASSIGN_OR_RETURN(AlignedBuffer larger, AlignedBuffer::allocate(wanted, "model file"));
  std::copy_n(buffer_.data(), size_, larger.data());
  buffer_ = std::move(larger);
  return ok_status();
}

Status NetworkFile::begin_text(std::string_view name, std::optional<uint64_t> byte_count) {
  if (acoustic_ == nullptr) return no_beam_search(name, format_);
  if (!texts_) texts_.emplace(acoustic_->tokens());
  return texts_->begin(name, byte_count);
}

Status NetworkFile::push(ByteSpan bytes) {
  if (texts_) return texts_->push(bytes);
  if (!kind_) {
    const ByteSpan first = bytes.first(std::min(bytes.size(), kDetectionBytes - size_));
    SUSURRUS_RETURN_IF_ERROR(keep(first));
    bytes = bytes.subspan(first.size());
    if (size_ < kDetectionBytes) return ok_status();
    SUSURRUS_RETURN_IF_ERROR(begin());
  }
  return april_ ? april_->push(bytes) : keep(bytes);
}

Status NetworkFile::keep(ByteSpan bytes) {
  // A wrong length is no reason to take memory piece by piece.
  if (size_ + bytes.size() > known_byte_count_.value_or(~uint64_t{0})) known_byte_count_.reset();
  SUSURRUS_RETURN_IF_ERROR(reserve(kind_ ? uint64_t{size_} + bytes.size() : kDetectionBytes));
  std::ranges::copy(bytes, buffer_.data() + size_);
  size_ += bytes.size();
  return ok_status();
}

Status NetworkFile::begin() {
  SUSURRUS_ASSIGN_OR_RETURN(kind_, recognise(bytes(), known_byte_count_));
  if (kind_ != FileKind::april && weights_.type != WeightType::f32) {
    return make_error(ErrorCode::unsupported_feature, ErrorReason::option)
        .with_subject("dtype")
        .with_expected("f32: only matrices of .april files become q8_0")
        .with_got("q8_0");
  }
  if (kind_ != FileKind::april) return ok_status();
  if (!expected_text_.empty()) return no_beam_search(expected_text_, "april");
  april_ = std::make_unique<TransducerLoader>(weights_);
  if (known_byte_count_) april_->set_file_byte_count(*known_byte_count_);
  SUSURRUS_RETURN_IF_ERROR(april_->push(bytes()));
  buffer_.reset();
  return ok_status();
}

Status NetworkFile::finish() {
  if (texts_) return texts_->finish();
  if (!kind_) {
    known_byte_count_ = size_;
    SUSURRUS_RETURN_IF_ERROR(begin());
  }
  switch (*kind_) {
    case FileKind::april: SUSURRUS_RETURN_IF_ERROR(finish_april()); break;
    case FileKind::bw2l: SUSURRUS_RETURN_IF_ERROR(read_bw2l()); break;
    case FileKind::tennis: SUSURRUS_RETURN_IF_ERROR(read_tennis()); break;
    case FileKind::onnx: SUSURRUS_RETURN_IF_ERROR(read_onnx()); break;
    default: return cannot_read(*kind_);
  }
  buffer_.reset();
  return ok_status();
}

Status NetworkFile::finish_april() {
  format_ = "april 1";
  auto model = april_->finish();
  warnings_ = april_->warnings();
  april_.reset();
  if (!model) return model.error();
  for (size_t i = 0; i < kAprilNetworks; ++i) {
    for (const OwnedTensor& weight : (*model)->graph(static_cast<AprilNetwork>(i)).constants) {
      if (is_float(weight.type)) add_dtype(element_type_name(weight.type));
    }
  }
  SUSURRUS_ASSIGN_OR_RETURN(engine_, TransducerEngine::make(std::move(*model)));
  return ok_status();
}

void NetworkFile::add_dtype(std::string_view name) {
  if (std::ranges::find(dtypes_, name) == dtypes_.end()) dtypes_.emplace_back(name);
}

Status NetworkFile::read_bw2l() {
  format_ = "BW2L 1";
  Bw2lReader reader;
  reader.set_file_byte_count(size_);
  SUSURRUS_RETURN_IF_ERROR(reader.push(bytes()));
  SUSURRUS_RETURN_IF_ERROR(reader.finish());
  warnings_ = reader.warnings();
  for (const Bw2lSection& section : reader.model().sections) {
    for (const Bw2lLayer& layer : section.layers) {
      for (const Bw2lArray& array : layer.arrays) {
        // "fp32" is APR2's "f32".
        const std::string_view name = bw2l_dtype_traits(array.dtype).name;
        add_dtype(name.starts_with("fp") ? "f" + std::string(name.substr(2)) : std::string(name));
      }
    }
  }
  SUSURRUS_ASSIGN_OR_RETURN(
      auto model, AcousticModel::make(reader.model(), reader.settings(), reader.tokens(), bytes()));
  warnings_.insert(warnings_.end(), model->warnings().begin(), model->warnings().end());
  SUSURRUS_ASSIGN_OR_RETURN(auto engine, AcousticEngine::make(std::move(model)));
  acoustic_ = engine.get();
  engine_ = std::move(engine);
  return ok_status();
}

Status NetworkFile::read_tennis() {
  format_ = "TenniS";
  SUSURRUS_ASSIGN_OR_RETURN(TennisModule module, TennisModule::read(bytes()));
  module_ = GraphModule::of_tennis(std::move(module));
  return ok_status();
}

Status NetworkFile::read_onnx() {
  format_ = "ONNX";
  SUSURRUS_ASSIGN_OR_RETURN(Graph graph, graph_from_onnx("network", bytes(), 0, {}, weights_));
  module_ = GraphModule::of_onnx(std::move(graph));
  return ok_status();
}

Result<std::unique_ptr<Engine>> NetworkFile::take_engine() {
  if (!engine_) return not_that("a model; openModule() opens modules", format_);
  if (texts_) {
    warnings_.insert(warnings_.end(), texts_->warnings().begin(), texts_->warnings().end());
    SUSURRUS_RETURN_IF_ERROR(
        acoustic_->set_vocabulary(std::move(texts_->lexicon), std::move(texts_->language_model)));
  }
  return std::move(engine_);
}

Result<GraphModule> NetworkFile::take_module() {
  if (!module_) return not_that("a module; loadModel() loads models", format_);
  GraphModule module = std::move(*module_);
  module_.reset();
  return module;
}

}  // namespace susurrus
