#pragma once
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace susurrus {

/// Reads a file of a format that inspection knows and inference does not, pushed in order in pieces of any size, and says
/// what is in it.
class FileDescriber {
 public:
  virtual ~FileDescriber() = default;
  /// Tells the file's length where it is known, before the first push.
  virtual void set_file_byte_count(uint64_t byte_count) = 0;
  /// Before the first push: long lists and texts are described by their values, not by their lengths alone.
  virtual void show_all() {}
  virtual Status push(ByteSpan chunk) = 0;
  /// How many of the next bytes describe nothing and can be skipped; 0 if the length is unknown.
  virtual uint64_t skippable() const { return 0; }
  virtual void skip(uint64_t) {}
  /// Says that no byte follows.
  virtual Status finish() = 0;
  /// After finish(): a JSON object with format, version, flags (one text), byteCount, metadata,
  /// warnings, and the format's own members, such as tensors or a graph
  /// (web/src/api/types/inspect.ts).
  virtual std::string facts() const = 0;
};

}  // namespace susurrus
