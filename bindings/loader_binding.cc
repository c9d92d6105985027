#include "loader_binding.h"

#include <emscripten/bind.h>
#include <emscripten/heap.h>
#include <unistd.h>

#include <algorithm>

#include "container/apr1/apr1_vocabulary.h"
#include "container/dtype.h"
#include "session/decode_options.h"
#include "session/load_plan.h"

namespace susurrus {
namespace {

/// The most beams or samples that options can ask for.
constexpr auto kMostSequences =
    static_cast<size_t>(std::max(ranges::kBeamSize.most, ranges::kBestOf.most));

/// memory.grow costs the same for 4 MiB as for 1, and malloc asks for no more than it needs now, so grow ahead if the rest
/// of the file needs more. By no more than this: a file may claim to be larger than it is.
constexpr uint64_t kGrowthBytes = 4 << 20;

void grow_memory(uint64_t tensor_bytes, uint64_t rest_of_file) {
  constexpr uint64_t kSlackBytes = 128 << 10;  // malloc's own
  const auto used = reinterpret_cast<uintptr_t>(sbrk(0));
  if (used + tensor_bytes + kSlackBytes <= emscripten_get_heap_size()) return;
  const uint64_t wanted =
      used + std::max(tensor_bytes + kSlackBytes, std::min(rest_of_file, kGrowthBytes));
  // Malloc reports where this fails.
  if (wanted <= emscripten_get_heap_max()) emscripten_resize_heap(static_cast<size_t>(wanted));
}

}  // namespace

Status LoadSink::on_manifest(ModelManifest& manifest) {
  format_ = std::string(manifest.format) + " " + std::to_string(manifest.version_major) + "." +
            std::to_string(manifest.version_minor);
  if (given_.token_count() > 0) {
    if (const WhisperMetadata* whisper = manifest.metadata->whisper()) {
      given_.cut(whisper->dimensions.n_vocab);
    }
    manifest.metadata->vocabulary = std::move(given_);
  }
  SUSURRUS_RETURN_IF_ERROR(store_->on_manifest(manifest));
  for (const TensorInfo& tensor : manifest.tensors) {
    if (store_->wants(tensor)) has_dtype_[static_cast<uint8_t>(tensor.dtype)] = true;
  }
  return plan_memory(manifest);
}

Status LoadSink::plan_memory(const ModelManifest& manifest) {
  if (store_->metadata().whisper() == nullptr) return ok_status();
  SUSURRUS_ASSIGN_OR_RETURN(const LoadPlan plan,
                            plan_load(*store_, default_kernels().packing.layout, 0, 1));
  const uint64_t room = emscripten_get_heap_max() - reinterpret_cast<uintptr_t>(sbrk(0));
  if (plan.model_bytes() > room) {
    return make_error(ErrorCode::out_of_memory, ErrorReason::memory)
        .with_subject("bytes of the model")
        .with_expected(room)
        .with_got(plan.model_bytes());
  }
  is_planned_ = true;
  weights_to_come_ = 0;
  if (manifest.part + 1 < manifest.part_count) {
    // Other files' weights are as large as these files, unless they are compressed.
    const bool is_compressed = std::ranges::any_of(manifest.tensors, &TensorInfo::is_compressed);
    weights_to_come_ =
        is_compressed || part_byte_count_ == 0 ? emscripten_get_heap_max() : part_byte_count_;
  }
  return ok_status();
}

uint64_t LoadSink::most_bytes(size_t threads) const {
  if (!is_planned_) return 0;
  const auto plan = plan_load(*store_, default_kernels().packing.layout, threads, kMostSequences);
  return plan ? plan->peak_bytes() + weights_to_come_ : 0;
}

Status LoadSink::on_late_metadata(VocabularyBytes vocabulary, AlignedBuffer mel_filterbank) {
  VocabularyBytes& known = store_->metadata().vocabulary;
  return store_->on_late_metadata(std::move(known.token_count() > 0 ? known : vocabulary),
                                  std::move(mel_filterbank));
}

void LoadSink::complete() {
  begin();
  store_->set_verified();
}

void LoadSink::begin() {
  if (std::exchange(has_begun_, true)) return;
  ModelMetadata& metadata = store_->metadata();
  if (metadata.vocabulary.token_count() == 0) {
    on_warning("there is no vocabulary: the model gives token ids but no text (--vocabulary FILE)");
  }
  const std::string_view warning = choose_filterbank(filterbank_, format_, metadata);
  if (!warning.empty()) on_warning(warning);
}

void LoadSink::make_room(const TensorInfo& tensor) const {
  if (tensor.file_offset < file_byte_count_) {
    grow_memory(tensor.raw_byte_count, file_byte_count_ - tensor.file_offset);
  }
}

Result<MutableByteSpan> LoadSink::place_tensor(const TensorInfo& tensor) {
  make_room(tensor);
  return store_->place_tensor(tensor);
}

Result<bool> LoadSink::stream_tensor(const TensorInfo& tensor) {
  make_room(tensor);
  return store_->stream_tensor(tensor);
}

std::vector<std::string> LoadSink::dtypes() const {
  std::vector<std::string> names;
  for (size_t number = 0; number < has_dtype_.size(); ++number) {
    if (!has_dtype_[number]) continue;
    if (auto dtype = dtype_from_number(static_cast<uint8_t>(number))) {
      names.emplace_back(dtype_traits(*dtype).name);
    }
  }
  return names;
}

void LoaderBinding::set_byte_count(double byte_count) {
  sink_.set_file_byte_count(static_cast<uint64_t>(byte_count));
  reader_.set_file_byte_count(static_cast<uint64_t>(byte_count));
}

ByteView LoaderBinding::input_window(double byte_count) {
  const NextBytes next = reader_.next_bytes();
  const double most = std::clamp<double>(byte_count, 0, kWindowBytes);
  place_ = next.place.first(std::min(next.place.size(), static_cast<size_t>(most)));
  if (!place_.empty()) return view(ByteSpan(place_));
  return window_.fill(std::min(most, static_cast<double>(next.count_before_place)));
}

ErrorText LoaderBinding::push(double byte_count) {
  const MutableByteSpan place = std::exchange(place_, {});
  if (byte_count >= 0 && byte_count <= static_cast<double>(place.size())) {
    return failure(reader_.push(place.first(static_cast<size_t>(byte_count))));
  }
  auto bytes = window_.filled(byte_count);
  if (!bytes) return failure(bytes);
  return failure(reader_.push(*bytes));
}

ErrorText LoaderBinding::start_vocabulary(double byte_count) {
  auto buffer = AlignedBuffer::allocate(static_cast<uint64_t>(byte_count), "vocabulary");
  if (buffer) vocabulary_ = std::move(buffer).value();
  return failure(buffer);
}

ErrorText LoaderBinding::set_vocabulary() {
  auto vocabulary = parse_apr1_vocabulary(vocabulary_.bytes(), ~0u, 0);
  vocabulary_.reset();
  if (vocabulary) sink_.set_vocabulary(std::move(vocabulary).value());
  return failure(vocabulary);
}

ErrorText LoaderBinding::finish() {
  Status status = reader_.finish();
  window_.release();
  is_finished_ = status.has_value() && reader_.missing_file_count() == 0;
  if (is_finished_) sink_.complete();
  return failure(status);
}

std::string LoaderBinding::missing_files() {
  uint64_t byte_count = 0;
  for (const PartFile& file : reader_.missing_files()) byte_count += file.byte_count;
  if (byte_count > 0) sink_.set_part_byte_count(byte_count);
  return part_files_.take_text(reader_);
}

EMSCRIPTEN_BINDINGS(loader) {
  emscripten::class_<LoaderBinding>("Loader")
      .constructor<>()
      .function("inputWindow(byteCount)", &LoaderBinding::input_window)
      .function("setByteCount(byteCount)", &LoaderBinding::set_byte_count)
      .function("startVocabulary(byteCount)", &LoaderBinding::start_vocabulary)
      .function("vocabularyWindow", &LoaderBinding::vocabulary_window)
      .function("setVocabulary", &LoaderBinding::set_vocabulary)
      .function("setFilterbank(choice)", &LoaderBinding::set_filterbank)
      .function("push(byteCount)", &LoaderBinding::push)
      .function("canBegin", &LoaderBinding::can_begin)
      .function("finish", &LoaderBinding::finish)
      .function("mostBytes(threads)", &LoaderBinding::most_bytes)
      .function("missingFiles", &LoaderBinding::missing_files);
}

}  // namespace susurrus
