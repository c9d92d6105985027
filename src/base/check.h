#pragma once

/// For what cannot happen unless this engine has a bug: traps, in every build.
#define SUSURRUS_CHECK(condition)       \
  do {                                  \
    if (!(condition)) __builtin_trap(); \
  } while (false)
