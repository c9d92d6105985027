// An audio context and the worklet that hands its sound to the page, at the context's own rate.
import { sourceFailed } from '../../src/api/errors.js';
import { makeRing, readRing, type RingMemory } from './ring.js';

/** The worklet answers at once, unless its thread is gone. */
const longestFinish = 1000;

/** What the worklet says: samples, or that the ring has some, or that all was handed over. */
type FromWorklet = Float32Array | 'ready' | 'finished';

/** What the page says to it: it has a source from now on, or has to hand all over. */
export type ToWorklet = 'connected' | 'finish';

/** Gives what its context's nodes play to `onSamples`, in blocks of one channel. */
export class AudioTap {
  readonly context: AudioContext;
  readonly #onSamples: (samples: Float32Array) => void;
  readonly #ring: RingMemory | undefined =
    globalThis.crossOriginIsolated && typeof SharedArrayBuffer !== 'undefined'
      ? makeRing()
      : undefined;
  #node: AudioWorkletNode | undefined;
  #source: AudioNode | undefined;
  #finished = (): void => undefined;

  constructor(context: AudioContext, onSamples: (samples: Float32Array) => void) {
    this.context = context;
    this.#onSamples = onSamples;
  }

  async load(worklet: URL): Promise<void> {
    const { context } = this;
    try {
      await context.audioWorklet.addModule(worklet);
    } catch (error) {
      throw sourceFailed(
        worklet.href,
        'the audio worklet could not be loaded',
        { got: String(error) },
        error,
      );
    }
    this.#node = new AudioWorkletNode(context, 'susurrus-capture', {
      numberOfOutputs: 0,
      channelCount: 1,
      channelCountMode: 'explicit',
      processorOptions: { ring: this.#ring },
    });
    this.#node.port.onmessage = ({ data }: MessageEvent<FromWorklet>) => this.#take(data);
  }

  /** In place of what was connected before. */
  connect(source: AudioNode): void {
    if (!this.#node) throw new Error('The worklet is not loaded.');
    this.#source?.disconnect(this.#node);
    this.#source = source;
    source.connect(this.#node);
    this.#tell(this.#node, 'connected');
  }

  /** Resolves when the last block was handed over; nothing comes after that. */
  async finish(): Promise<void> {
    const node = this.#node;
    this.#node = undefined;
    if (!node) return;
    this.#source?.disconnect(node);
    const finished = new Promise<void>((done) => (this.#finished = done));
    // Also in a context that stands still: its worklet ends when it goes on.
    this.#tell(node, 'finish');
    if (this.context.state === 'running') {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<void>((done) => (timer = setTimeout(done, longestFinish)));
      await Promise.race([finished, late]);
      clearTimeout(timer);
    }
    node.port.onmessage = null;
  }

  #tell({ port }: AudioWorkletNode, message: ToWorklet): void {
    port.postMessage(message);
  }

  #take(data: FromWorklet): void {
    if (this.#ring) {
      const samples = readRing(this.#ring);
      if (samples.length > 0) this.#onSamples(samples);
    }
    if (data === 'finished') this.#finished();
    else if (data !== 'ready') this.#onSamples(data);
  }
}

/** At the device's own rate unless another is given. Browsers refuse it where there is no sound at all, and when a page has too many. */
export function makeContext(options?: AudioContextOptions): AudioContext {
  try {
    return new AudioContext(options);
  } catch (error) {
    throw sourceFailed(
      'audio',
      'the browser makes no audio context',
      { got: String(error) },
      error,
    );
  }
}
