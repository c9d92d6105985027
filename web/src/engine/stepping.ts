// Work of the core that goes on in steps.
import { SusurrusError } from '../api/errors.js';
import { unwrap } from '../wasm/emscripten_module.js';
import type { Step } from './engine.mjs';
import type { RunningModule } from './engine_module.js';

interface Stepping {
  step(milliseconds: number): Step;
  error(): string;
}

/** The step, unless it failed. */
export function checked(work: Stepping, module: RunningModule, step: Step): Step {
  if (step !== module.Step.failed) return step;
  unwrap(work.error());
  throw new SusurrusError('internal_error', 'A step failed without an error.', {
    reason: 'internal',
  });
}
