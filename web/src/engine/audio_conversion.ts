// Audio of any rate and channels to 16 kHz mono, piece by piece, with the core's converter.
import { checkSamples } from '../api/sample_check.js';
import { unwrap } from '../wasm/emscripten_module.js';
import type { AudioShape } from '../protocol/engine.js';
import { freeBuffer } from '../protocol/whole_buffers.js';
import type { RunningModule } from './engine_module.js';
import type { YieldController } from '../wasm/yield_controller.js';
import { pushThroughWindow } from '../wasm/windows.js';
import { joined } from '../api/joined.js';

/** Pieces of whole samples whatever the number of channels: 2^18 bytes a push, as the core's window holds. */
const pieceBytes = 1 << 18;

/** One recording on its way to 16 kHz mono. Keeps what it made until it is taken. */
export class Conversion {
  readonly #converter: InstanceType<RunningModule['AudioConverter']>;
  readonly #shape: AudioShape;
  #parts: Float32Array<ArrayBuffer>[] = [];
  #ready = 0;
  /** Samples pushed so far, of all channels. */
  #pushed = 0;

  constructor(module: RunningModule, shape: AudioShape) {
    this.#shape = shape;
    this.#converter = new module.AudioConverter();
    if (shape.kind === 'wav') {
      this.#converter.beginWav();
      return;
    }
    try {
      unwrap(this.#converter.beginSamples(shape.sampleRate, shape.channels));
    } catch (error) {
      this.drop();
      throw error;
    }
  }

  /** Bytes of a WAV file, or interleaved samples. Returns how many samples wait to be taken. */
  async push(piece: Uint8Array | Float32Array, yielder: YieldController): Promise<number> {
    const isWav = this.#shape.kind === 'wav';
    if (this.#shape.kind === 'samples' && piece instanceof Float32Array) {
      const { sampleRate, channels } = this.#shape;
      await checkSamples(piece, yielder, { sampleRate, channels, before: this.#pushed });
      this.#pushed += piece.length;
    }
    const bytes = new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength);
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      await pushThroughWindow(
        this.#converter,
        bytes.subarray(at, at + pieceBytes),
        (count) => (isWav ? this.#converter.pushBytes(count) : this.#converter.pushSamples(count)),
        yielder,
      );
      this.#drain();
    }
    return this.#ready;
  }

  /** Everything that is ready, in one array. */
  take(): Float32Array {
    const whole = this.#parts.length === 1 ? this.#parts[0] : undefined;
    const samples = whole ?? joined(this.#parts, Float32Array);
    // The engine's thread collects garbage seldom: six megabytes of them waited for that in Chromium.
    if (!whole) for (const { buffer } of this.#parts) freeBuffer(buffer);
    this.#parts = [];
    this.#ready = 0;
    return samples;
  }

  /** The audio ends here: what is left of it. */
  finish(): Float32Array {
    unwrap(this.#converter.finish());
    this.#drain();
    return this.take();
  }

  drop(): void {
    this.#converter.delete();
  }

  #drain(): void {
    const output = this.#converter.output();
    if (output.length === 0) return;
    this.#parts.push(output.slice());
    this.#ready += output.length;
    this.#converter.consume(output.length);
  }
}

/** The conversions under way in an engine, by number. */
export class Conversions {
  readonly #running = new Map<number, Conversion>();
  #next = 0;

  begin(module: RunningModule, shape: AudioShape): number {
    this.#running.set(this.#next, new Conversion(module, shape));
    return this.#next++;
  }

  /** Undefined once it has ended. */
  get(id: number): Conversion | undefined {
    return this.#running.get(id);
  }

  end(id: number): void {
    this.#running.get(id)?.drop();
    this.#running.delete(id);
  }
}
