#pragma once
#include <array>
#include <memory>
#include <string>

#include "container/detecting_reader.h"
#include "filterbank_choice.h"
#include "input_window.h"
#include "kernels/kernel_table.h"
#include "part_files.h"
#include "session/engine_families.h"

namespace susurrus {

/// A WeightStore that remembers what the file said about itself.
class LoadSink : public ModelSink {
 public:
  Status on_manifest(ModelManifest& manifest) override;
  Result<MutableByteSpan> place_tensor(const TensorInfo& tensor) override;
  Result<bool> stream_tensor(const TensorInfo& tensor) override;
  void on_tensor_bytes(ByteSpan bytes) override { store_->on_tensor_bytes(bytes); }
  void on_tensor_complete(const TensorInfo& tensor) override { store_->on_tensor_complete(tensor); }
  Status on_late_metadata(VocabularyBytes vocabulary, AlignedBuffer mel_filterbank) override;
  void on_warning(std::string_view text) override { store_->on_warning(text); }

  /// Takes the place of the file's. More tokens than the model has are left out.
  void set_vocabulary(VocabularyBytes vocabulary) { given_ = std::move(vocabulary); }
  void set_filterbank(FilterbankChoice choice) { filterbank_ = choice; }
  /// Once everything but weights is known: says what is missing, and drops a filterbank that is not the one to use.
  void begin();
  /// When the whole file is verified.
  void complete();

  WeightStore& store() const { return *store_; }
  /// Hands over the store. An early model owns it even while weights still arrive.
  std::unique_ptr<WeightStore> give_store() { return std::move(own_store_); }
  void set_file_byte_count(uint64_t byte_count) { file_byte_count_ = byte_count; }
  /// For a model in several files: the sum of their sizes.
  void set_part_byte_count(uint64_t byte_count) { part_byte_count_ = byte_count; }
  /// The most memory that the model may take with `threads` threads, beams and word times included;
  /// 0 until the first file's index is known.
  uint64_t most_bytes(size_t threads) const;
  /// "APR2 2.0"
  const std::string& format() const { return format_; }
  /// The types of the tensors that the model needs, each once, in the order of APR2's numbers.
  std::vector<std::string> dtypes() const;

 private:
  /// Takes note of what the model needs, and rejects it before its first weight where the addresses cannot hold it: out_of_memory.
  Status plan_memory(const ModelManifest& manifest);
  void make_room(const TensorInfo& tensor) const;

  std::unique_ptr<WeightStore> own_store_ =
      std::make_unique<WeightStore>(loadable_families(), default_kernels().packing);
  WeightStore* store_ = own_store_.get();  // also when it is given away
  VocabularyBytes given_;
  FilterbankChoice filterbank_ = FilterbankChoice::automatic;
  bool has_begun_ = false;
  std::string format_;
  /// By APR2's number.
  std::array<bool, 256> has_dtype_{};
  uint64_t file_byte_count_ = 0;  // 0: not known
  uint64_t part_byte_count_ = 0;  // 0: the model is one file
  uint64_t weights_to_come_ = 0;  // at most, in further files
  bool is_planned_ = false;
};

/// Pushes a model file into its final place in the heap.
class LoaderBinding {
 public:
  static constexpr size_t kWindowBytes = 256 << 10;

  LoaderBinding() : reader_(sink_) {}

  /// Where the next bytes go, at most `byte_count` and at most kWindowBytes: directly into a tensor
  /// if they belong to one.
  ByteView input_window(double byte_count);
  void set_byte_count(double byte_count);
  /// A vocabulary that the caller gives, as APR1 stores one: its length, then its bytes into the window.
  ErrorText start_vocabulary(double byte_count);
  ByteView vocabulary_window() { return view(ByteSpan(vocabulary_.bytes())); }
  ErrorText set_vocabulary();
  /// "auto", "embedded" or "whisper".
  void set_filterbank(const std::string& choice) {
    sink_.set_filterbank(filterbank_choice(choice));
  }
  ErrorText push(double byte_count);
  /// Whether Model.create() may take the model while its weights arrive. That Model must outlive the loader then.
  bool can_begin() const { return !is_given_ && sink_.store().can_begin(); }
  /// Once for each file. When none is missing, the loader holds a whole model; Model.create() takes it, unless it has already.
  ErrorText finish();
  /// The files that the one that was finished names: a manifest's shards, once.
  std::string missing_files();
  double most_bytes(uint32_t threads) const {
    return static_cast<double>(sink_.most_bytes(threads));
  }

  LoadSink& sink() { return sink_; }
  bool is_finished() const { return is_finished_ && !is_given_; }
  /// The model has been taken.
  void give_up() { is_given_ = true; }

 private:
  LoadSink sink_;
  DetectingReader reader_;
  InputWindow window_{kWindowBytes};
  AlignedBuffer vocabulary_;
  MutableByteSpan place_;  // what input_window() returned, if it is outside window_
  bool is_finished_ = false;
  bool is_given_ = false;
  PartFiles part_files_;
};

}  // namespace susurrus
