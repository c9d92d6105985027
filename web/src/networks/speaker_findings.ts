// Recordings in which speakers are told apart: any number of them, by number, with the same networks.
import { wrongState } from '../api/errors.js';
import type { FoundVoices, SpeakerCalls } from '../protocol/networks.js';
import { checked } from '../engine/stepping.js';
import { unwrap } from '../wasm/emscripten_module.js';
import { pushThroughWindow } from '../wasm/windows.js';
import type { YieldController } from '../wasm/yield_controller.js';
import type { MainModule, SpeakerFinder, SpeakerNetworks, Step } from './networks.mjs';

export class SpeakerFindings {
  readonly #running = new Map<number, SpeakerFinder>();
  #networks: SpeakerNetworks | undefined;
  #next = 0;
  /** The last work of the networks, which do one thing at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  async push(module: MainModule, bytes: Uint8Array, yielder: YieldController): Promise<void> {
    const networks = (this.#networks ??= new module.SpeakerNetworks());
    await pushThroughWindow(networks, bytes, (count) => networks.push(count), yielder);
  }

  finish(module: MainModule): void {
    this.#networks ??= new module.SpeakerNetworks();
    unwrap(this.#networks.finish());
  }

  begin(
    module: MainModule,
    { least, most, windows }: SpeakerCalls['beginSpeakers']['request'],
  ): number {
    if (!this.#networks) throw wrongState('The engine holds no model.');
    const finder = new module.SpeakerFinder();
    try {
      unwrap(finder.create(this.#networks, least, most, windows));
    } catch (error) {
      finder.delete();
      throw error;
    }
    this.#running.set(this.#next, finder);
    return this.#next++;
  }

  hear(
    module: MainModule,
    { id, samples }: { readonly id: number; readonly samples: Float32Array },
    yielder: YieldController,
  ): Promise<void> {
    const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
    return this.#inTurn(yielder, async () => {
      for (let at = 0; at < bytes.length;) {
        const finder = this.#finder(id);
        const window = finder.inputWindow(bytes.length - at);
        const count = window.length;
        window.set(bytes.subarray(at, at + count));
        finder.hear(count);
        at += count;
        await this.#work(module, id, yielder);
      }
    });
  }

  settle(module: MainModule, id: number, yielder: YieldController): Promise<FoundVoices> {
    return this.#inTurn(yielder, async () => {
      this.#finder(id).beginSettling();
      await this.#work(module, id, yielder, (finder) => finder.settle(yielder.left));
      return JSON.parse(this.#finder(id).settled()) as FoundVoices;
    });
  }

  find(module: MainModule, id: number, yielder: YieldController): Promise<FoundVoices> {
    return this.#inTurn(yielder, async () => {
      this.#finder(id).end();
      await this.#work(module, id, yielder);
      return JSON.parse(this.#finder(id).found()) as FoundVoices;
    });
  }

  end(id: number): void {
    this.#running.get(id)?.delete();
    this.#running.delete(id);
  }

  async #work(
    module: MainModule,
    id: number,
    yielder: YieldController,
    take = (finder: SpeakerFinder): Step => finder.step(yielder.left),
  ): Promise<void> {
    for (;;) {
      // It may have ended meanwhile.
      const finder = this.#finder(id);
      const step = checked(finder, module, take(finder));
      await yielder.step();
      if (step !== module.Step.working) return;
    }
  }

  /** Work of one recording goes to its end before that of another begins: the networks hold what is not done. */
  #inTurn<T>(yielder: YieldController, work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(async () => {
      await yielder.turn();
      return work();
    });
    this.#turn = done.catch(() => undefined);
    return done;
  }

  #finder(id: number): SpeakerFinder {
    const finder = this.#running.get(id);
    if (!finder) throw wrongState('This recording is not heard any more.', 'recording');
    return finder;
  }
}
