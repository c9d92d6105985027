// Builds models in shards and their manifests, right or wrong on purpose.
#pragma once
#include <zlib.h>

#include <cstdio>
#include <string>
#include <vector>

#include "container/apr2_builder.h"

namespace susurrus::testing {

inline std::string shard_name(size_t shard) {
  return "model-0000" + std::to_string(shard + 1) + "-of-00003.apr";
}

inline std::string crc_digits(uint32_t crc) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", crc);
  return text;
}

inline std::string crc_text(const Bytes& file) {
  return crc_digits(static_cast<uint32_t>(crc32(0, file.data(), static_cast<uInt>(file.size()))));
}

inline std::string footer_crc_text(const Bytes& file) {
  return crc_digits(load_le<uint32_t>(file.data() + file.size() - 16));
}

/// A model in three shards, to be changed before it is read.
struct Sharded {
  std::vector<Apr2Builder> shards;
  std::vector<Bytes> files;
  std::string manifest;
  bool tells_length = true;

  void build_files() {
    files.clear();
    for (const Apr2Builder& shard : shards) files.push_back(shard.build());
  }
  void write_manifest() {
    std::string list, map;
    for (size_t i = 0; i < files.size(); ++i) {
      list += std::string(i ? "," : "") + R"({"file":")" + shard_name(i) + R"(","size":)" +
              std::to_string(files[i].size()) + R"(,"crc32":")" + crc_text(files[i]) +
              R"(","footer_crc32":")" + footer_crc_text(files[i]) + "\"}";
      for (const BuiltTensor& tensor : shards[i].tensors) {
        map += (map.empty() ? "\"" : ",\"") + tensor.name + "\":" + std::to_string(i);
      }
    }
    manifest = R"({"apr_version":"2.0.0","sharded":true,"shard_count":)" +
               std::to_string(files.size()) + R"(,"shards":[)" + list +
               R"(],"tensor_shard_map":{)" + map + "}}";
  }
  void replace(std::string_view from, std::string_view to) {
    manifest.replace(manifest.find(from), from.size(), to);
  }
};

}  // namespace susurrus::testing
