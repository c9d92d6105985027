// A family of models that exists only in tests. It finds the template that each window of samples
// is most like, and uses the same files, loading and interface as every other family.
#pragma once
#include "session/engine_families.h"

namespace susurrus::testing {

/// Needs "templates.weight" (classes, window samples) and "templates.bias" (classes), after
/// metadata of model_type "dummy" with the architecture's "n_class" and "n_window". Files may put
/// "net." before their names. Its option `label` is the text before a class's number.
extern const ModelFamily kDummyFamily;
std::span<const ModelFamily* const> dummy_alone();
std::span<const EngineFamily> dummy_engines();

}  // namespace susurrus::testing
