// Sound through a model while it comes: any number of streams, by number.
import { wrongState } from '../api/errors.js';
import type { LiveEvent } from '../api/types.js';
import { sampleRate } from '../api/generated/whisper.js';
import { checkSamples } from './sample_check.js';
import { checked } from './stepping.js';
import type { LiveSettings } from '../protocol/engine.js';
import { unwrap } from '../wasm/emscripten_module.js';
import type { YieldController } from '../wasm/yield_controller.js';
import type { EngineHolder, Live } from './engine.mjs';
import type { RunningModule } from './engine_module.js';

const ended = (): Error => wrongState('This stream has ended.', 'stream');

interface Stream {
  readonly live: Live;
  /** Samples that were fed. */
  count: number;
}

export class LiveStreams {
  readonly #running = new Map<number, Stream>();
  #next = 0;

  begin(module: RunningModule, model: EngineHolder, settings: LiveSettings): number {
    const live = new module.Live();
    try {
      unwrap(live.begin(model, JSON.stringify(settings)));
    } catch (error) {
      live.delete();
      throw error;
    }
    this.#running.set(this.#next, { live, count: 0 });
    return this.#next++;
  }

  async feed(
    module: RunningModule,
    id: number,
    samples: Float32Array,
    yielder: YieldController,
  ): Promise<LiveEvent[]> {
    const stream = this.#stream(id);
    const { live } = stream;
    // Calls are short: sound that is always there must not keep all else waiting.
    await yielder.turn();
    await checkSamples(samples, yielder, { sampleRate, channels: 1, before: stream.count });
    stream.count += samples.length;
    const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
    const events: LiveEvent[] = [];
    live.expect(samples.length);
    for (let at = 0; at < bytes.length;) {
      const window = live.inputWindow(bytes.length - at);
      const count = window.length;
      window.set(bytes.subarray(at, at + count));
      unwrap(live.feed(count === 0 ? bytes.length - at : count));
      at += count;
      events.push(...(await this.#work(module, stream, yielder)));
    }
    return events;
  }

  flush(module: RunningModule, id: number, yielder: YieldController): Promise<LiveEvent[]> {
    const stream = this.#stream(id);
    stream.live.flush();
    return this.#work(module, stream, yielder);
  }

  skip(id: number, sampleCount: number): LiveEvent[] {
    const { live } = this.#stream(id);
    live.skip(sampleCount);
    return JSON.parse(live.takeEvents()) as LiveEvent[];
  }

  end(id: number): void {
    this.#running.get(id)?.live.delete();
    this.#running.delete(id);
  }

  /** All that was fed. A stream that ends meanwhile says so. */
  async #work(
    module: RunningModule,
    stream: Stream,
    yielder: YieldController,
  ): Promise<LiveEvent[]> {
    const { live } = stream;
    while (checked(live, module, live.step(yielder.left)) !== module.Step.needAudio) {
      await yielder.step();
      if (![...this.#running.values()].includes(stream)) throw ended();
    }
    return JSON.parse(live.takeEvents()) as LiveEvent[];
  }

  #stream(id: number): Stream {
    const stream = this.#running.get(id);
    if (!stream) throw ended();
    return stream;
  }
}
