// Decodes windows, step by step. Options and results are passed to and from the core as JSON.
import type { Model } from './engine.mjs';
import { unwrap } from '../wasm/emscripten_module.js';
import type { EngineModule } from './engine_module.js';
import { fillWindow } from './mel.js';
import type { Arrivals } from './arrivals.js';
import type { YieldController } from '../wasm/yield_controller.js';
import type { EngineCalls, Settings } from '../protocol/engine.js';
import { checked } from './stepping.js';

/** An engine with a model that may still be loading. */
interface Listener {
  readonly module: EngineModule;
  readonly model: Model;
  readonly arrivals: Arrivals;
}

/** Tasks on one window. */
export type WindowTask = 'decode' | 'detectLanguage' | 'score' | 'align';

/** What the core needs in addition to the samples. */
export interface WindowRequest {
  readonly options: Settings;
  readonly candidates?: readonly string[];
  readonly text?: string;
}

/** Two frames of log-mel are one position. */
function heardFrames(model: Model, { encoderContext }: Settings): number {
  return typeof encoderContext === 'number' ? 2 * encoderContext : model.windowFrames();
}

/** Does a task on at most one window of samples, completed with silence. */
export async function listen<Task extends WindowTask>(
  { module, model, arrivals }: Listener,
  task: Task,
  samples: Float32Array,
  request: WindowRequest,
  yielder: YieldController,
): Promise<EngineCalls[Task]['answer']> {
  const work = new module.WindowWork();
  try {
    fillWindow(model, samples, heardFrames(model, request.options));
    unwrap(work.begin(model, task, JSON.stringify(request), samples.length));
    for (;;) {
      const step = checked(work, module, work.step(yielder.left));
      if (step === module.Step.done) break;
      if (step === module.Step.needWeights) await yielder.wait(arrivals.next());
      else await yielder.step();
    }
    return JSON.parse(work.result()) as EngineCalls[Task]['answer'];
  } finally {
    work.delete();
  }
}
