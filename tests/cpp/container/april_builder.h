// Builds .april files field by field, right or wrong on purpose; independent of AprilWriter.
#pragma once
#include <array>
#include <functional>
#include <optional>

#include "container/onnx_builder.h"

namespace susurrus::testing {

struct AprilBuilder {
  AprilBuilder();

  std::string language = "en";
  std::string name = "Test model";
  std::string description = "Made for a test";
  uint32_t version = 1;
  uint32_t model_type = 1;
  std::optional<uint64_t> network_count;
  /// batch_size, segment_size, … blank_token_id, as april.md lists them.
  std::array<int32_t, 13> params = {1, 9, 4, 80, 16000, 10, 25, 1, 20, 0, 0, 4, 0};
  std::vector<std::string> tokens = {"<blk>", " a", "", "b"};
  std::array<OnnxBuilder, 3> networks;
  /// Replaces the bytes that `networks` build.
  std::array<std::optional<Bytes>, 3> network_bytes;
  Bytes header_slack;
  Bytes params_slack;
  /// Precedes each part.
  Bytes gap;
  Bytes behind;
  /// 0 to 2 are the networks, 3 the params.
  std::array<int, 4> order = {0, 1, 2, 3};
  /// Changes the params blob before it is placed.
  std::function<void(Bytes& params)> edit_params;

  Bytes build();
  // Offsets in the file of the last build().
  uint64_t name_length_at = 0;
  uint64_t description_length_at = 0;
  uint64_t model_type_at = 0;
  uint64_t params_entry_at = 0;
  uint64_t network_count_at = 0;
  uint64_t network_entries_at = 0;
  std::array<uint64_t, 4> part_at = {};
  std::array<Bytes, 4> parts;
};

}  // namespace susurrus::testing
