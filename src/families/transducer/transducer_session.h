#pragma once
#include <memory>

#include "families/transducer/filterbank_frontend.h"
#include "families/transducer/frame_ring.h"
#include "families/transducer/transducer_networks.h"

namespace susurrus {

/// One stream through an .april model: samples in pieces of any size, events out (april.md §2.2 to §2.5). All work is done in
/// steps of bounded size; nothing is allocated after it was made.
class TransducerSession {
 public:
  /// Model and listener must outlive it. Errors as TransducerNetworks::make().
  static Result<std::unique_ptr<TransducerSession>> make(const TransducerModel& model,
                                                         AprilFrontEnd front_end,
                                                         TransducerListener& listener);

  TransducerSession(const TransducerSession&) = delete;
  TransducerSession& operator=(const TransducerSession&) = delete;

  /// Takes samples (-1 … 1, at the model's rate) from the front of `samples` and returns how many: at most those of one piece. Only
  /// when the work of what came before is done. What a piece has is lost if the ring of frames has no room for it; see
  /// dropped_samples().
  size_t feed(std::span<const float> samples);
  /// Begins to bring out what is still inside. The stream may go on after it.
  void begin_flush();
  /// Work of about `cost` multiplications; true when all is done. After an error: disabled_by_previous_error.
  Result<bool> step(uint64_t cost);
  /// All of it.
  Status run();

  /// In steps of segment_step frames, those of flushes included.
  uint64_t now_ms() const { return now_ms_; }
  /// Samples lost while the ring of frames was full; like april-asr, it drops whole pieces.
  uint64_t dropped_samples() const { return dropped_samples_; }
  uint64_t byte_count() const { return networks_.byte_count() + ring_.byte_count(); }

 private:
  /// What a flush does next.
  enum class Stage : uint8_t { none, first_padding, zeros, second_padding, end };

  TransducerSession(const TransducerModel& model, FilterbankFrontend frontend, FrameRing ring,
                    TransducerNetworks networks, TransducerListener& listener);
  void take_piece(std::span<const float> samples);
  void begin_segment();
  /// The next part of a flush. Frames to encode come first.
  Status flush_part();
  /// Fills the ring with silence up to a segment; false when there was enough.
  bool pad();

  const AprilParams* params_;
  FilterbankFrontend frontend_;
  FrameRing ring_;
  TransducerNetworks networks_;
  TransducerSearch search_;
  uint64_t now_ms_ = 0;
  uint64_t dropped_samples_ = 0;
  /// Frames that wait, counted at the last that came from samples; less than none after padding.
  int64_t sound_frames_ = 0;
  bool is_encoding_ = false;
  bool is_flushed_ = false;
  bool has_failed_ = false;
  Stage stage_ = Stage::none;
};

}  // namespace susurrus
