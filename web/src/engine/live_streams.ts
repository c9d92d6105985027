// Sound through a model while it comes: any number of streams, by number.
import { wrongState } from '../api/errors.js';
import type { LiveEvent } from '../api/types.js';
import { checked } from './stepping.js';
import type { LiveSettings } from '../protocol/engine.js';
import { unwrap } from '../wasm/emscripten_module.js';
import type { YieldController } from '../wasm/yield_controller.js';
import type { EngineHolder, Live } from './engine.mjs';
import type { RunningModule } from './engine_module.js';

const ended = (): Error => wrongState('This stream has ended.', 'stream');

export class LiveStreams {
  readonly #running = new Map<number, Live>();
  #next = 0;

  begin(module: RunningModule, model: EngineHolder, settings: LiveSettings): number {
    const live = new module.Live();
    try {
      unwrap(live.begin(model, JSON.stringify(settings)));
    } catch (error) {
      live.delete();
      throw error;
    }
    this.#running.set(this.#next, live);
    return this.#next++;
  }

  async feed(
    module: RunningModule,
    id: number,
    samples: Float32Array,
    yielder: YieldController,
  ): Promise<LiveEvent[]> {
    const live = this.#stream(id);
    // Calls are short: sound that is always there must not keep all else waiting.
    await yielder.turn();
    const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
    const events: LiveEvent[] = [];
    live.expect(samples.length);
    for (let at = 0; at < bytes.length;) {
      const window = live.inputWindow(bytes.length - at);
      const count = window.length;
      window.set(bytes.subarray(at, at + count));
      unwrap(live.feed(count === 0 ? bytes.length - at : count));
      at += count;
      events.push(...(await this.#work(module, live, yielder)));
    }
    return events;
  }

  flush(module: RunningModule, id: number, yielder: YieldController): Promise<LiveEvent[]> {
    const live = this.#stream(id);
    live.flush();
    return this.#work(module, live, yielder);
  }

  skip(id: number, sampleCount: number): LiveEvent[] {
    const live = this.#stream(id);
    live.skip(sampleCount);
    return JSON.parse(live.takeEvents()) as LiveEvent[];
  }

  end(id: number): void {
    this.#running.get(id)?.delete();
    this.#running.delete(id);
  }

  /** All that was fed. A stream that ends meanwhile says so. */
  async #work(module: RunningModule, live: Live, yielder: YieldController): Promise<LiveEvent[]> {
    while (checked(live, module, live.step(yielder.left)) !== module.Step.needAudio) {
      await yielder.step();
      if (![...this.#running.values()].includes(live)) throw ended();
    }
    return JSON.parse(live.takeEvents()) as LiveEvent[];
  }

  #stream(id: number): Live {
    const live = this.#running.get(id);
    if (!live) throw ended();
    return live;
  }
}
