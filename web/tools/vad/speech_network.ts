// Silero's network behind a link: probabilities of speech for the frames of any number of recordings.
import { sampleRate } from '../../src/api/generated/whisper.js';
import { checkSamples } from '../../src/api/sample_check.js';
import { wrongState } from '../../src/api/errors.js';
import { abortedOr, orAborted, throwIfAborted } from '../../src/api/signals.js';
import type { Variant } from '../../src/api/types.js';
import type { Platform } from '../../src/platform/platform.js';
import type { NetworksLink } from '../../src/protocol/networks.js';
import { openSource } from '../../src/sources/open_source.js';
import { pump } from '../../src/sources/pump.js';
import { YieldController } from '../../src/wasm/yield_controller.js';
import { frameSamples } from './speech_rules.js';
import { joined } from '../../src/api/joined.js';

/** Frames in a message to a worker: about 8 s. */
export const mostFrames = 256;

export interface SpeechNetwork {
  readonly link: NetworksLink;
  /** models/vad.tsm */
  readonly model: Uint8Array;
  /** Whether a call has failed: its worker or its memory may be gone. */
  isLost: boolean;
}

/** What one recording or stream has of the detector. */
export interface DetectorUse {
  readonly network: SpeechNetwork;
  /** Its recording, which is begun: the detector is there. */
  readonly frames: FrameReader;
  /** Ends the use, not the detector. Calls after the first one do nothing. */
  readonly release: () => void;
}

/** Starts the module that runs networks, and fetches the detector's. */
export async function openSpeechNetwork(
  platform: Platform,
  signal: AbortSignal | undefined,
  variant?: Variant,
): Promise<SpeechNetwork> {
  throwIfAborted(signal);
  const link = platform.openDetector();
  try {
    const [model] = await Promise.all([
      readModel(platform, signal),
      link.call('start', { variant, threads: 1, module: undefined }, { signal }),
    ]);
    return { link, model, isLost: false };
  } catch (error) {
    link.close();
    throw abortedOr(signal, error);
  }
}

async function readModel(platform: Platform, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const keep = (chunk: Uint8Array): Promise<void> => {
    parts.push(chunk.slice());
    return Promise.resolve();
  };
  const source = await openSource(platform.vadModel, platform, signal);
  await pump(source, keep, { phase: 'load', signal });
  return joined(parts, Uint8Array);
}

/** Takes the samples of one recording in order, and processes whole frames at once. */
export class FrameReader {
  readonly #network: SpeechNetwork;
  readonly #signal: AbortSignal | undefined;
  /** What the network calls it, from the first frame on. */
  #begun: Promise<number> | undefined;
  #isClosed = false;
  /** Less than a frame. */
  #rest = new Float32Array();
  #count = 0;

  constructor(network: SpeechNetwork, signal: AbortSignal | undefined) {
    this.#network = network;
    this.#signal = signal;
  }

  /** Yields the probabilities of the complete frames. A single NaN would make all later results of the network NaN. */
  async *push(samples: Float32Array): AsyncGenerator<Float32Array> {
    const place = { sampleRate, channels: 1, before: this.#count };
    await checkSamples(samples, new YieldController(this.#signal), place);
    this.#count += samples.length;
    const before = this.#rest;
    const count = before.length + samples.length;
    const whole = count - (count % frameSamples);
    const part = (begin: number, end: number): Float32Array<ArrayBuffer> => {
      const own = new Float32Array(end - begin);
      own.set(before.subarray(begin, end));
      const at = (index: number): number => Math.max(0, index - before.length);
      own.set(samples.subarray(at(begin), at(end)), Math.max(0, before.length - begin));
      return own;
    };
    for (let at = 0; at < whole; at += mostFrames * frameSamples) {
      yield await this.#hear(part(at, Math.min(whole, at + mostFrames * frameSamples)));
    }
    this.#rest = part(whole, count);
  }

  /** Ends the recording: returns the probability of the last, shorter frame, if there is one. */
  async finish(): Promise<Float32Array> {
    const rest = this.#rest;
    this.#rest = new Float32Array();
    return rest.length > 0 ? this.#hear(rest) : new Float32Array();
  }

  /** Begins the recording, which push() does where it is not begun yet: then it is known that the network is there. */
  async begin(): Promise<void> {
    await orAborted(this.#id(), this.#signal);
  }

  /** Gives back its memory; also of what is only being begun. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { link } = this.#network;
    this.#begun?.then((id) => link.call('endSpeech', { id })).catch(() => undefined);
  }

  async #hear(samples: Float32Array): Promise<Float32Array> {
    this.#checkOpen();
    const id = await this.#id();
    this.#checkOpen();
    const { link } = this.#network;
    const options = { signal: this.#signal, givesAway: true };
    return this.#watched(link.call('hearSpeech', { id, samples }, options));
  }

  #id(): Promise<number> {
    const { link, model } = this.#network;
    return (this.#begun ??= this.#watched(link.call('beginSpeech', { model })));
  }

  async #watched<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      // A recording that was closed or aborted meanwhile says nothing about the network.
      if (!this.#isClosed && !this.#signal?.aborted) this.#network.isLost = true;
      throw error;
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) throw wrongState('This recording is not heard any more.', 'recording');
  }
}
