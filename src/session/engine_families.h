#pragma once
#include <memory>
#include <span>

#include "kernels/kernel_table.h"
#include "session/engine.h"
#include "tensor/weight_store.h"

namespace susurrus {

/// A family that is run: how its files are loaded, and how an engine is made of what was loaded.
struct EngineFamily {
  const ModelFamily* model;
  Result<std::unique_ptr<Engine>> (*create)(WeightStore& store, const KernelTable& kernels);
};

/// All that this program runs. A new family is one more row.
std::span<const EngineFamily> engine_families();
/// engine_families() as a WeightStore needs them.
std::span<const ModelFamily* const> loadable_families();

/// The engine of a verified load, or of one under way that can_begin(), of the family that its file named: one of `families`.
/// Missing or misshapen tensors are reported by name. `store` outlives the engine.
Result<std::unique_ptr<Engine>> create_engine(
    WeightStore& store, const KernelTable& kernels,
    std::span<const EngineFamily> families = engine_families());

}  // namespace susurrus
