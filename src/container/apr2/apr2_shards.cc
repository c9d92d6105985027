#include "container/apr2/apr2_shards.h"

#include <charconv>
#include <string>

#include "container/apr2/apr2_header.h"
#include "container/detect.h"

namespace susurrus {
namespace {

constexpr uint64_t kMaxShards = 99999;
/// What a number of JavaScript holds exactly.
constexpr uint64_t kMaxFileBytes = (uint64_t{1} << 53) - 1;

Error bad(std::string_view subject) {
  return make_error(ErrorCode::malformed, ErrorReason::manifest).at(0).with_subject(subject);
}

std::string in_shard(size_t shard, const char* key) {
  return "shards[" + std::to_string(shard) + "]." + key;
}

/// Names a file beside the manifest and nothing else.
bool is_bare_name(std::string_view name) {
  if (name.empty() || name.size() > 255 || name == "." || name.find("..") != name.npos)
    return false;
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '/' || c == '\\' || c == ':' || c == 0x7F) {
      return false;
    }
  }
  return true;
}

/// 8 digits, as they are written; "0x" in front and upper case are read, too (apr.md 9.21).
Result<uint32_t> read_crc32(size_t number, JsonValue shard, const char* key) {
  const std::string_view text = shard[key].text().value_or("no text");
  const std::string_view digits = text.starts_with("0x") ? text.substr(2) : text;
  uint32_t crc = 0;
  const char* const end = digits.data() + digits.size();
  if (digits.size() != 8 || std::from_chars(digits.data(), end, crc, 16).ptr != end) {
    return bad(in_shard(number, key)).with_expected("8 hexadecimal digits").with_got(text);
  }
  return crc;
}

class ManifestReader {
 public:
  explicit ManifestReader(ShardManifest& manifest)
      : manifest_(manifest), root_(manifest.document.root()) {}

  Status read() {
    const JsonValue weight_map = root_["weight_map"];
    if (root_["tensor_shard_map"].exists() || root_["sharded"].exists()) return read_own();
    if (!weight_map.is_object()) return not_a_manifest();
    for (const auto& member : weight_map.members()) {
      if (member.value.is_string()) return cannot_read(FileKind::hub_index);
    }
    return read_aprender();
  }

 private:
  Status not_a_manifest() const {
    for (const char* key : {"architectures", "d_model", "added_tokens", "feature_extractor_type",
                            "transformers_version"}) {
      if (root_[key].exists()) return cannot_read(FileKind::hub_config);
    }
    for (const char* key : {"error", "message", "detail"}) {
      if (const auto text = root_[key].text()) {
        return cannot_read(FileKind::server_error, ": " + std::string(text->substr(0, 80)));
      }
    }
    return cannot_read(FileKind::other_json);
  }

  Status read_own() {
    for (const char* key :
         {"apr_version", "sharded", "shard_count", "shards", "tensor_shard_map"}) {
      if (root_.count(key) != 1) {
        return bad(key).with_expected("the key once").with_got(root_.count(key));
      }
    }
    const std::string_view version = root_["apr_version"].text().value_or("");
    if (version != "2" && !version.starts_with("2.")) {
      return make_error(ErrorCode::unsupported_version, ErrorReason::version)
          .at(0)
          .with_subject("apr_version")
          .with_expected("2")
          .with_got(version);
    }
    if (root_["sharded"].boolean() != true) return bad("sharded").with_expected("true");
    SUSURRUS_RETURN_IF_ERROR(read_shards("file"));
    return read_map("tensor_shard_map");
  }

  Status read_aprender() {
    manifest_.is_aprender = true;
    SUSURRUS_RETURN_IF_ERROR(read_shards("filename"));
    return read_map("weight_map");
  }

  Status read_shards(const char* file_key) {
    const JsonValue shards = root_["shards"];
    const auto count = root_["shard_count"].unsigned_integer();
    if (!shards.is_array()) return bad("shards").with_expected("a list");
    if (!count || *count == 0 || *count > kMaxShards) {
      Error wrong = bad("shard_count").with_expected("an integer from 1 to 99999");
      return count ? std::move(wrong).with_got(*count) : wrong;
    }
    if (*count != shards.size()) {
      return bad("shard_count").with_expected(shards.size()).with_got(*count);
    }
    manifest_.shards.reserve(shards.size());
    NameIndex files;
    for (const JsonValue shard : shards.items()) {
      SUSURRUS_RETURN_IF_ERROR(read_shard(shard, file_key));
      files.add(manifest_.shards.back().file, 0);
    }
    files.sort();
    if (const auto* twice = files.duplicate()) {
      return bad("shards").with_expected("each file once").with_got(twice->name);
    }
    return ok_status();
  }

  Status read_shard(JsonValue shard, const char* file_key) {
    const size_t number = manifest_.shards.size();
    ShardEntry entry;
    entry.file = shard[file_key].text().value_or("");
    if (!is_bare_name(entry.file)) {
      return bad(in_shard(number, file_key))
          .with_expected("the bare name of a file beside the manifest")
          .with_got(entry.file);
    }
    const auto byte_count = shard["size"].unsigned_integer();
    if (!byte_count || *byte_count < kApr2MinimumBytes || *byte_count > kMaxFileBytes) {
      return bad(in_shard(number, "size")).with_expected("an integer from 58 to 2^53 - 1");
    }
    entry.byte_count = *byte_count;
    if (!manifest_.is_aprender) {
      SUSURRUS_ASSIGN_OR_RETURN(entry.crc32, read_crc32(number, shard, "crc32"));
      if (shard["footer_crc32"].exists()) {
        SUSURRUS_ASSIGN_OR_RETURN(entry.footer_crc32, read_crc32(number, shard, "footer_crc32"));
      }
    } else if (shard["index"].exists() && shard["index"].unsigned_integer() != number) {
      return bad(in_shard(number, "index")).with_expected(number);
    }
    manifest_.shards.push_back(entry);
    return ok_status();
  }

  Status read_map(const char* key) {
    const JsonValue map = root_[key];
    if (!map.is_object()) return bad(key).with_expected("an object");
    manifest_.tensors.reserve(map.size());
    for (const auto& [name, value] : map.members()) {
      const auto shard = value.unsigned_integer();
      if (!shard || *shard >= manifest_.shards.size()) {
        return bad(name)
            .with_expected("the number of a shard, below " +
                           std::to_string(manifest_.shards.size()))
            .with_got(shard ? std::to_string(*shard) : "no such integer");
      }
      manifest_.tensors.add(name, static_cast<uint32_t>(*shard));
    }
    manifest_.tensors.sort();
    if (const auto* twice = manifest_.tensors.duplicate()) {
      return bad(twice->name)
          .with_expected("one shard")
          .with_got(std::to_string(twice[-1].place) + " and " + std::to_string(twice->place));
    }
    return ok_status();
  }

  ShardManifest& manifest_;
  JsonValue root_;
};

}  // namespace

Result<ShardManifest> read_shard_manifest(JsonDocument document) {
  ShardManifest manifest{std::move(document), {}, {}, false};
  SUSURRUS_RETURN_IF_ERROR(ManifestReader(manifest).read());
  return manifest;
}

}  // namespace susurrus
