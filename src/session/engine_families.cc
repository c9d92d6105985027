#include "session/engine_families.h"

#include "families/whisper/whisper_family.h"
#include "session/whisper_model.h"

namespace susurrus {
namespace {

template <class Model>
Result<std::unique_ptr<Engine>> create(WeightStore& store, const KernelTable& kernels) {
  SUSURRUS_ASSIGN_OR_RETURN(auto model, Model::create_on(store, kernels));
  return std::unique_ptr<Engine>(std::move(model));
}

constexpr EngineFamily kEngineFamilies[] = {{&kWhisperFamily, create<WhisperModel>}};
constexpr const ModelFamily* kLoadableFamilies[] = {&kWhisperFamily};

}  // namespace

std::span<const EngineFamily> engine_families() { return kEngineFamilies; }
std::span<const ModelFamily* const> loadable_families() { return kLoadableFamilies; }

Result<std::unique_ptr<Engine>> create_engine(WeightStore& store, const KernelTable& kernels,
                                              std::span<const EngineFamily> families) {
  for (const EngineFamily& family : families) {
    if (family.model == store.family()) return family.create(store, kernels);
  }
  return not_of_family(store.metadata(), "a model that was loaded to be run");
}

}  // namespace susurrus
