#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "session/engine.h"

namespace susurrus {

/// A loaded model of any family, and what its file said about itself.
class EngineHolder {
 public:
  Engine& engine() { return *engine_; }

 protected:
  /// Family, file, planned memory and what the family adds to that, as JSON.
  std::string facts(std::string_view format, std::span<const std::string> dtypes,
                    std::span<const std::string> warnings) const;

  std::unique_ptr<Engine> engine_;
};

}  // namespace susurrus
