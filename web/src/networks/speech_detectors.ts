// Recordings in which speech is looked for: any number of them, by number.
import { wrongState } from '../api/errors.js';
import { unwrap } from '../wasm/emscripten_module.js';
import type { YieldController } from '../wasm/yield_controller.js';
import type { MainModule, SpeechDetector } from './networks.mjs';

const frameSamples = 512;

export class SpeechDetectors {
  readonly #running = new Map<number, SpeechDetector>();
  #next = 0;

  begin(module: MainModule, model: Uint8Array): number {
    const detector = new module.SpeechDetector();
    try {
      const window = detector.moduleWindow(model.length);
      window.set(model.subarray(0, window.length));
      unwrap(detector.create(model.length));
    } catch (error) {
      detector.delete();
      throw error;
    }
    this.#running.set(this.#next, detector);
    return this.#next++;
  }

  async hear(id: number, samples: Float32Array, yielder: YieldController): Promise<Float32Array> {
    // Calls are short: a stream that always has samples must not keep all else waiting.
    await yielder.turn();
    const probabilities = new Float32Array(Math.ceil(samples.length / frameSamples));
    const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
    let count = 0;
    for (let at = 0; at < bytes.length;) {
      const detector = this.#running.get(id);
      if (!detector) throw wrongState('This recording is not heard any more.', 'recording');
      const window = detector.inputWindow(bytes.length - at);
      const byteCount = window.length;
      window.set(bytes.subarray(at, at + byteCount));
      unwrap(detector.hear(byteCount === 0 ? bytes.length - at : byteCount));
      const heard = detector.probabilities();
      probabilities.set(heard, count);
      count += heard.length;
      at += byteCount;
      await yielder.step();
    }
    return probabilities;
  }

  end(id: number): void {
    this.#running.get(id)?.delete();
    this.#running.delete(id);
  }
}
