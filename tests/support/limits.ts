import { slownessFrom } from '../../scripts/toolchain/slowness.mjs';

/** Whole `milliseconds`, as child processes want them, on a quiet machine, and more where scripts/test.mjs found this one slow: limits are against hangs alone. */
export const limit = (milliseconds: number): number =>
  Math.round(milliseconds * slownessFrom(process.env.SUSURRUS_TEST_SLOWNESS));
