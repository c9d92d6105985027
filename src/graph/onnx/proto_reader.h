#pragma once
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/piece_budget.h"
#include "base/result.h"

namespace susurrus {

/// A field of a protobuf message.
struct ProtoField {
  uint64_t number = 0;
  enum class Kind : uint8_t { varint, fixed64, bytes, fixed32 };
  Kind kind = Kind::varint;
  /// Set for varint, fixed64 and fixed32.
  uint64_t value = 0;
  /// Set for bytes.
  ByteSpan bytes;
  /// The file offset of its contents.
  uint64_t offset = 0;

  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

/// The fields of one message that is in memory, one after the other. Errors are malformed, about `subject`, with the offset.
class ProtoReader {
 public:
  /// `offset`: of the message, in the file. A budget, if any, is for what is made of it.
  ProtoReader(const char* subject, ByteSpan bytes, uint64_t offset, PieceBudget* budget = nullptr)
      : subject_(subject), bytes_(bytes), offset_(offset), budget_(budget) {}
  /// A reader for the message in `field`.
  ProtoReader within(const ProtoField& field) const {
    return {subject_, field.bytes, field.offset, budget_};
  }

  /// nullopt at the end.
  Result<std::optional<ProtoField>> next();
  /// The next of numbers that stand packed in a field of bytes.
  Result<uint64_t> varint();
  bool at_end() const { return at_ == bytes_.size(); }
  Error bad(ErrorReason reason) const;
  /// Call before keeping `byte_count` bytes: the budget's errors, with the place.
  Status take(uint64_t byte_count) const;

 private:
  const char* subject_;
  ByteSpan bytes_;
  uint64_t offset_;
  size_t at_ = 0;
  PieceBudget* budget_ = nullptr;
};

}  // namespace susurrus
