// Sines and cosines here are of angles below 1000. What libc has for those above 2^20, and only for those, stays out of the
// binaries.
extern "C" int __rem_pio2_large(double*, double*, int, int, int) { __builtin_trap(); }
