#pragma once
#include <vector>

#include "graph/onnx/proto_reader.h"

namespace susurrus {

/// Puts bytes after those that are kept already. Lists double; out_of_memory, at `offset`, where they cannot.
Status keep_bytes(ByteSpan bytes, uint64_t offset, std::vector<uint8_t>& kept);

/// Fields of a message that are kept as they stand in the file, without those that are left out between them.
class KeptFields {
 public:
  /// Errors are about `subject`.
  explicit KeptFields(const char* subject) : subject_(subject) {}

  /// The next field begins at `offset` of the file.
  void begin(uint64_t offset);
  /// Bytes of it, which stand at `offset`.
  Status add(ByteSpan bytes, uint64_t offset) { return keep_bytes(bytes, offset, bytes_); }
  /// The field is left out, with what was kept of it.
  void leave_out();
  /// Frees them all.
  void clear() { bytes_ = {}; }

  /// visit(reader, offset) for the contents of each field of one kind.
  template <typename Visit>
  Status visit(uint64_t number, Visit&& visit) const {
    for (size_t i = 0; i < runs_.size(); ++i) {
      ProtoReader run = reader_of_run(i);
      for (;;) {
        SUSURRUS_ASSIGN_OR_RETURN(const auto field, run.next());
        if (!field) break;
        if (field->number != number || field->kind != ProtoField::Kind::bytes) continue;
        PieceBudget budget(field->bytes.size());
        const Status status =
            visit(ProtoReader(subject_, field->bytes, field->offset, &budget), field->offset);
        if (!status) return placed(status.error(), field->offset);
      }
    }
    return ok_status();
  }

 private:
  /// Fields that follow each other in the file.
  struct Run {
    size_t begin;
    uint64_t offset;
  };

  ProtoReader reader_of_run(size_t index) const;
  /// Errors that know no place are the field's.
  Error placed(const Error& error, uint64_t offset) const;

  const char* subject_;
  std::vector<uint8_t> bytes_;
  std::vector<Run> runs_;
  size_t field_begin_ = 0;  // of the current one
};

}  // namespace susurrus
