// Models that run on graphs: loading them.
#include <emscripten/bind.h>

#include "engine_holder.h"
#include "engine_values.h"
#include "network_loader_binding.h"

namespace susurrus {
namespace {

/// Nothing but create() may be called before it has succeeded.
class NetworkModelBinding : public EngineHolder {
 public:
  /// `loader` must have finished.
  ErrorText create(NetworkLoaderBinding& loader) {
    auto engine = loader.file().take_engine();
    if (!engine) return failure(engine);
    engine_ = std::move(engine).value();
    format_ = loader.file().format();
    dtypes_.assign(loader.file().dtypes().begin(), loader.file().dtypes().end());
    warnings_.assign(loader.file().warnings().begin(), loader.file().warnings().end());
    return {};
  }
  /// As JSON.
  std::string facts() const { return EngineHolder::facts(format_, dtypes_, warnings_); }

 private:
  std::string format_;
  std::vector<std::string> dtypes_;
  std::vector<std::string> warnings_;
};

}  // namespace

EMSCRIPTEN_BINDINGS(network_model) {
  emscripten::class_<NetworkLoaderBinding>("Loader")
      .constructor<>()
      .function("inputWindow(byteCount)", &NetworkLoaderBinding::input_window)
      .function("setByteCount(byteCount)", &NetworkLoaderBinding::set_byte_count)
      .function("setWeights(dtype)", &NetworkLoaderBinding::set_weights)
      .function("expectText(name)", &NetworkLoaderBinding::expect_text)
      .function("beginText(name, byteCount)", &NetworkLoaderBinding::begin_text)
      .function("push(byteCount)", &NetworkLoaderBinding::push)
      .function("finish", &NetworkLoaderBinding::finish);
  emscripten::class_<NetworkModelBinding, emscripten::base<EngineHolder>>("Model")
      .constructor<>()
      .function("create(loader)", &NetworkModelBinding::create)
      .function("facts", &NetworkModelBinding::facts);
}

}  // namespace susurrus
