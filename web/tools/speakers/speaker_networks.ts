// The two networks that tell speakers apart, behind a link, for any number of recordings at a time.
import { sampleRate } from '../../src/api/generated/whisper.js';
import { wrongState } from '../../src/api/errors.js';
import { checkSamples } from '../../src/api/sample_check.js';
import { abortedOr, orAborted, throwIfAborted } from '../../src/api/signals.js';
import type { FoundSpeakers, ModelSource, SpeakerOptions, Variant } from '../../src/api/types.js';
import type { Platform } from '../../src/platform/platform.js';
import type { SpeakerSearch } from '../../src/platform/speakers.js';
import type { FoundVoices, NetworksLink } from '../../src/protocol/networks.js';
import { openSource } from '../../src/sources/open_source.js';
import { pump, type PumpOptions } from '../../src/sources/pump.js';
import { YieldController } from '../../src/wasm/yield_controller.js';
import { speakerLimits } from './speaker_options.js';
import { VoiceNames } from './voice_names.js';

/** Samples in a message to a worker: 10 s. */
const pieceSamples = 10 * sampleRate;

export interface SpeakerNetworks {
  readonly link: NetworksLink;
  /** Whether a call has failed: its worker or its memory may be gone. */
  isLost: boolean;
}

/** Where the networks are, and what they run on. */
export interface NetworksOptions extends Pick<PumpOptions, 'signal' | 'onProgress'> {
  readonly model?: ModelSource | undefined;
  readonly variant?: Variant | undefined;
}

/** Starts a module of its own, which works beside a model's engine, and loads the networks into it. */
export async function openSpeakerNetworks(
  platform: Platform,
  { model, variant, signal, onProgress }: NetworksOptions,
): Promise<SpeakerNetworks> {
  throwIfAborted(signal);
  const link = platform.openDetector();
  try {
    const [source] = await Promise.all([
      openSource(model ?? platform.speakersModel, platform, signal),
      link.call('start', { variant, threads: 1, module: undefined }, { signal }),
    ]);
    await pump(source, (bytes) => link.call('pushSpeakerModel', { bytes }), {
      phase: 'load',
      signal,
      onProgress,
    });
    await link.call('endSpeakerModel', undefined, { signal });
    return { link, isLost: false };
  } catch (error) {
    link.close();
    throw abortedOr(signal, error);
  }
}

/** One recording, whose samples come in order. */
export class RecordingSpeakers implements SpeakerSearch {
  readonly #networks: SpeakerNetworks;
  readonly #options: SpeakerOptions;
  readonly #signal: AbortSignal | undefined;
  #begun: Promise<number> | undefined;
  #isClosed = false;
  readonly #isLive: boolean;
  readonly #names = new VoiceNames();
  #count = 0;

  /** Live sound is heard window by window. */
  constructor(
    networks: SpeakerNetworks,
    options: SpeakerOptions,
    signal: AbortSignal | undefined,
    isLive = false,
  ) {
    this.#networks = networks;
    this.#options = options;
    this.#signal = signal;
    this.#isLive = isLive;
  }

  /** Begins it, which push() does where it is not begun yet: then it is known that the networks are there. */
  async begin(): Promise<void> {
    await orAborted(this.#id(), this.#signal);
  }

  async push(samples: Float32Array): Promise<void> {
    const place = { sampleRate, channels: 1, before: this.#count };
    await checkSamples(samples, new YieldController(this.#signal), place);
    this.#count += samples.length;
    for (let at = 0; at < samples.length; at += pieceSamples) {
      const piece = samples.subarray(at, at + pieceSamples);
      await this.#call((id) =>
        this.#networks.link.call('hearSpeakers', { id, samples: piece }, { signal: this.#signal }),
      );
    }
  }

  async settle(): Promise<FoundSpeakers> {
    const voices = await this.#call((id) =>
      this.#networks.link.call('settleSpeakers', { id }, { signal: this.#signal }),
    );
    return this.#named(voices, voices.seconds);
  }

  async finish(): Promise<FoundSpeakers> {
    const voices = await this.#call((id) =>
      this.#networks.link.call('findSpeakers', { id }, { signal: this.#signal }),
    );
    this.close();
    return this.#named(voices, this.#count / sampleRate);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { link } = this.#networks;
    this.#begun?.then((id) => link.call('endSpeakers', { id })).catch(() => undefined);
  }

  async #call<T>(work: (id: number) => Promise<T>): Promise<T> {
    this.#checkOpen();
    const id = await this.#id();
    this.#checkOpen();
    return this.#watched(work(id));
  }

  #id(): Promise<number> {
    return (this.#begun ??= this.#watched(
      this.#networks.link.call('beginSpeakers', {
        ...speakerLimits(this.#options),
        windows: this.#isLive ? 1 : 0,
      }),
    ));
  }

  #named({ turns, speakers }: FoundVoices, duration: number): FoundSpeakers {
    const ids = this.#names.of(speakers.map(({ vector }) => vector));
    return {
      turns: turns.map(([start, end, speaker]) => ({ start, end, speaker: ids[speaker]! })),
      speakers: speakers.map(({ seconds, vector }, index) => ({
        id: ids[index]!,
        seconds,
        ...(this.#options.vectors === true && { vector: [...vector] }),
      })),
      duration,
    };
  }

  async #watched<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      // A recording that was closed or aborted meanwhile says nothing about the networks.
      if (!this.#isClosed && !this.#signal?.aborted) this.#networks.isLost = true;
      throw error;
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) throw wrongState('This recording is not heard any more.', 'recording');
  }
}
