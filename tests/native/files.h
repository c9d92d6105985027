// Files of raw little-endian floats, and model files, for the driver.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "session/whisper_model.h"

namespace susurrus::driver {

Result<std::vector<float>> read_floats(const std::string& path);
Status write_floats(const std::string& path, std::span<const float> values);
/// Reads an APR2 file in chunks and makes the model.
Result<std::unique_ptr<WhisperModel>> load_model(const std::string& path);

}  // namespace susurrus::driver
