#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "container/onnx/onnx_network.h"

namespace susurrus {

/// Bytes of a file.
struct ByteRange {
  uint64_t offset = 0;
  uint64_t byte_count = 0;
};

/// The numbers of an .april file's params, as they are stored.
struct AprilParams {
  int32_t batch_size = 1;
  int32_t segment_size = 0;
  int32_t segment_step = 0;
  int32_t mel_features = 0;
  int32_t samplerate = 0;
  int32_t frame_shift_ms = 0;
  int32_t frame_length_ms = 0;
  int32_t round_pow2 = 0;
  int32_t mel_low = 0;
  int32_t mel_high = 0;
  int32_t snip_edges = 0;
  int32_t token_count = 0;
  int32_t blank_token_id = 0;
};
/// In file order: name and member.
struct AprilParamField {
  const char* name;
  int32_t AprilParams::* member;
};
inline constexpr AprilParamField kAprilParamFields[] = {
    {"batch_size", &AprilParams::batch_size},
    {"segment_size", &AprilParams::segment_size},
    {"segment_step", &AprilParams::segment_step},
    {"mel_features", &AprilParams::mel_features},
    {"samplerate", &AprilParams::samplerate},
    {"frame_shift_ms", &AprilParams::frame_shift_ms},
    {"frame_length_ms", &AprilParams::frame_length_ms},
    {"round_pow2", &AprilParams::round_pow2},
    {"mel_low", &AprilParams::mel_low},
    {"mel_high", &AprilParams::mel_high},
    {"snip_edges", &AprilParams::snip_edges},
    {"token_count", &AprilParams::token_count},
    {"blank_token_id", &AprilParams::blank_token_id},
};

inline constexpr size_t kAprilNetworks = 3;
inline constexpr std::array<std::string_view, kAprilNetworks> kAprilNetworkNames = {
    "encoder", "decoder", "joiner"};

inline constexpr std::string_view kAprilMagic = "APRILMDL";
inline constexpr std::string_view kAprilParamsMagic{"PARAMS\0\0", 8};
inline constexpr uint32_t kAprilVersion = 1;
/// Model types. What a file of the unknown one holds is its own affair: its parts have a place and a size.
inline constexpr uint32_t kAprilUnknownModel = 0;
inline constexpr uint32_t kAprilLstmTransducer = 1;
/// Magic, version and header_size.
inline constexpr uint64_t kAprilPreambleBytes = 20;
/// The magic and the numbers in front of the tokens.
inline constexpr uint64_t kAprilParamsBytes = 60;

/// An .april file without the networks' bytes. Texts are kept byte for byte; they should be UTF-8.
struct AprilModel {
  /// Padded with zeros.
  std::array<uint8_t, 8> language_tag = {};
  std::string name;
  std::string description;
  uint32_t model_type = kAprilLstmTransducer;
  ByteRange params_range;
  /// For an unknown model type: the ranges of its networks. `network_ranges` and `networks` are
  /// unset.
  std::vector<ByteRange> unknown_networks;
  std::array<ByteRange, kAprilNetworks> network_ranges = {};
  AprilParams params;
  std::vector<std::string> tokens;
  /// Empty where a network's bytes are not readable as ONNX.
  std::array<OnnxNetwork, kAprilNetworks> networks;

  /// The tag without its padding: "en".
  std::string_view language() const {
    const std::string_view tag(reinterpret_cast<const char*>(language_tag.data()),
                               language_tag.size());
    return tag.substr(0, tag.find('\0'));
  }
};

}  // namespace susurrus
