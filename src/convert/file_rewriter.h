#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "stream/output_buffer.h"

namespace susurrus {

/// Writes a file of a format that has no other here once more in its own: .april, BW2L, TenniS. A file without gaps comes
/// back byte for byte; of others what nothing uses is left out, with the reader's warnings.
///
///   auto rewriter = open_rewriter(first bytes of the file, its length);
///   until rewriter->is_complete():
///     begin_pass();
///     push(pieces of the whole file, in order);     drain the output after each
///     finish_pass();                                drain
///
/// "Drain": write output() to the destination, then consume_output(). The output of a push is not much more than its bytes
/// and what the model says in texts. Memory: those texts; no weights are held. After an error only destruction is left.
class FileRewriter {
 public:
  virtual ~FileRewriter() = default;
  /// "april", "BW2L", "TenniS".
  virtual const char* format() const = 0;
  /// Whether the pass that begins next gives output; else it reads what the writer has to know first.
  virtual bool is_writing() const = 0;
  virtual void begin_pass() = 0;
  virtual Status push(ByteSpan chunk) = 0;
  virtual Status finish_pass() = 0;
  virtual bool is_complete() const = 0;
  // When all is complete:
  /// An .april file's are its networks' initialisers, those of BW2L its arrays, those of TenniS the fields of constants' values.
  virtual uint64_t tensor_count() const = 0;
  virtual const std::vector<std::string>& warnings() const = 0;

  ByteSpan output() const { return output_.bytes(); }
  void consume_output() { output_.clear(); }

 protected:
  OutputBuffer output_;
};

/// Null for a file of another format, except a TenniS module of the other byte order: its rewriter
/// reports that as an error.
std::unique_ptr<FileRewriter> open_rewriter(ByteSpan first_bytes, uint64_t file_byte_count);

}  // namespace susurrus
