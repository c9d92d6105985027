// susurrus/vad: finds speech in recordings of every kind and in live audio.
import type {
  AudioInput,
  AudioStream,
  DetectOptions,
  LoadDetectorOptions,
  SpeechEvent,
  SpeechRange,
} from '../../src/api/types.js';
import { checkAssets } from '../../src/api/assets.js';
import { renamed, wrongState } from '../../src/api/errors.js';
import {
  checkObject,
  checkOptions,
  oneOf,
  progressCheck,
  signalCheck,
} from '../../src/api/options.js';
import { abortedOr, anyOf } from '../../src/api/signals.js';
import { openAudio, soundOf } from '../../src/audio/audio_feed.js';
import { checkAudio } from '../../src/audio/audio_kinds.js';
import { asSamples } from '../../src/audio/audio_stream.js';
import { sampleRate } from '../../src/api/generated/whisper.js';
import { disposedOf, endWhenForgotten } from '../../src/model/forgotten.js';
import type { Platform } from '../../src/platform/platform.js';
import { closingStream } from './closing_stream.js';
import { SpeechEvents } from './speech_events.js';
import { FrameReader, openSpeechNetwork, type SpeechNetwork } from './speech_network.js';
import { frameSamples, SpeechRules, type SpeechLimits } from './speech_rules.js';
import { speechLimits, vadDefaults } from './vad_options.js';

/** Silero's network, loaded. It can process any number of recordings at the same time. */
export class SpeechDetector {
  readonly #network: SpeechNetwork;
  readonly #platform: Platform;
  readonly #closing = new AbortController();

  /** @internal */
  constructor(network: SpeechNetwork, platform: Platform) {
    this.#network = network;
    this.#platform = platform;
    endWhenForgotten(this, network.link);
  }

  /**
   * Returns the ranges of speech, as Silero's get_speech_timestamps() does.
   *
   * @throws SusurrusError `malformed`, `truncated_input`, `unknown_format` or `unsupported_feature` for a file that cannot be decoded;
   *   `source_failed` for a URL or stream that cannot be read; `invalid_argument` for wrong options or samples; `wrong_state` after dispose().
   *   An abort rejects with the signal's reason.
   * @example
   * ```js
   * const ranges = await detector.detect(file, { threshold: 0.6 });
   * console.log(ranges.reduce((sum, { start, end }) => sum + end - start, 0));
   * ```
   */
  async detect(
    audio: AudioInput | AudioStream,
    options: DetectOptions = {},
  ): Promise<readonly SpeechRange[]> {
    const ranges: SpeechRange[] = [];
    let start = 0;
    for await (const { type, time } of this.events(audio, options)) {
      if (type === 'start') start = time;
      else ranges.push({ start, end: time });
    }
    return ranges;
  }

  /**
   * Yields starts and ends of speech as they become certain: a start when the speech has lasted for `minSpeechDuration`, an end after
   * `minSilenceDuration` of silence. Takes streams; leaving the loop cancels them.
   *
   * @throws SusurrusError at once: `invalid_argument` for a wrong option. The loop throws the errors of detect().
   * @example
   * ```js
   * for await (const { type, time } of detector.events(file)) console.log(type, time);
   * ```
   */
  events(
    audio: AudioInput | AudioStream,
    options: DetectOptions = {},
  ): AsyncGenerator<SpeechEvent, void> {
    const limits = checked(options);
    checkAudio(audio, true);
    return this.#eventsOf(audio, limits, options);
  }

  /**
   * Returns a transform stream from 16 kHz mono samples to events.
   *
   * @throws SusurrusError at once: `invalid_argument` for a wrong option, `wrong_state` after dispose(). Other errors fail the stream.
   * @example
   * ```js
   * const pieces = new ReadableStream({
   *   start(controller) {
   *     controller.enqueue(samples);
   *     controller.close();
   *   },
   * });
   * const events = pieces.pipeThrough(detector.transform()).getReader();
   * console.log(await events.read());
   * ```
   */
  transform(options: DetectOptions = {}): TransformStream<Float32Array | Int16Array, SpeechEvent> {
    const limits = checked(options);
    const recording = this.#recording(limits, options);
    return closingStream<Float32Array | Int16Array, SpeechEvent>(
      {
        transform: async (samples, controller) => {
          for await (const event of recording.push(asSamples(samples))) controller.enqueue(event);
        },
        flush: async (controller) => {
          for (const event of await recording.finish()) controller.enqueue(event);
        },
      },
      () => recording.close(),
    );
  }

  /** Ends the detector and its worker. Calls under way and later ones fail with `wrong_state`. */
  dispose(): void {
    disposedOf(this);
    this.#closing.abort();
    this.#network.link.close();
  }

  /** Calls dispose(), for `using`. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Calls dispose(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    this.dispose();
    return Promise.resolve();
  }

  /** @internal The name before 1.0. */
  listen(): never {
    throw renamed('detector.listen', 'detector.events()');
  }

  /** @internal The name before 1.0. */
  stream(): never {
    throw renamed('detector.stream', 'detector.transform()');
  }

  async *#eventsOf(
    audio: AudioInput | AudioStream,
    limits: SpeechLimits,
    options: DetectOptions,
  ): AsyncGenerator<SpeechEvent, void> {
    this.#checkOpen();
    const { signal, release } = anyOf([options.signal, this.#closing.signal]);
    const recording = this.#recording(limits, { ...options, signal });
    try {
      const opened = await openAudio(audio, {
        engine: this.#network.link,
        platform: this.#platform,
        holding: 'nothing',
        signal,
      });
      for await (const samples of soundOf(opened)) yield* recording.push(samples);
      yield* await recording.finish();
    } catch (error) {
      if (this.#closing.signal.aborted && !options.signal?.aborted) this.#checkOpen();
      throw abortedOr(options.signal, error);
    } finally {
      release();
      recording.close();
    }
  }

  #recording(limits: SpeechLimits, options: DetectOptions): HeardRecording {
    this.#checkOpen();
    return new HeardRecording(this.#network, limits, options);
  }

  #checkOpen(): void {
    if (this.#closing.signal.aborted) throw wrongState('The detector is disposed.', 'detector');
  }
}

class HeardRecording {
  readonly #frames: FrameReader;
  readonly #rules: SpeechRules;
  readonly #events: SpeechEvents;
  readonly #onProbability: DetectOptions['onProbability'];
  #count = 0;
  #frameCount = 0;

  constructor(network: SpeechNetwork, limits: SpeechLimits, options: DetectOptions) {
    this.#frames = new FrameReader(network, options.signal);
    this.#rules = new SpeechRules(limits);
    this.#events = new SpeechEvents(this.#rules);
    this.#onProbability = options.onProbability;
  }

  async *push(samples: Float32Array): AsyncGenerator<SpeechEvent> {
    this.#count += samples.length;
    for await (const probabilities of this.#frames.push(samples)) {
      this.#hear(probabilities);
      yield* this.#events.take();
    }
  }

  async finish(): Promise<readonly SpeechEvent[]> {
    this.#hear(await this.#frames.finish());
    this.#rules.finish(this.#count);
    this.close();
    return this.#events.take();
  }

  close(): void {
    this.#frames.close();
  }

  #hear(probabilities: Float32Array): void {
    for (const probability of probabilities) {
      const time = (this.#frameCount++ * frameSamples) / sampleRate;
      this.#onProbability?.(probability, time);
      this.#rules.push(probability);
    }
  }
}

function checked(options: DetectOptions): SpeechLimits {
  checkObject(options);
  const { signal, onProbability, ...vad } = options;
  checkOptions({ signal, onProbability }, { signal: signalCheck, onProbability: progressCheck });
  return speechLimits(vad, vadDefaults.detect);
}

/** The functions of susurrus/vad, which are described there. */
export interface SpeechDetection {
  readonly detectSpeech: (
    audio: AudioInput | AudioStream,
    options: DetectOptions,
  ) => Promise<readonly SpeechRange[]>;
  readonly loadSpeechDetector: (options: LoadDetectorOptions) => Promise<SpeechDetector>;
}

export function speechDetectionOn(usualPlatform: Platform): SpeechDetection {
  async function loadSpeechDetector(options: LoadDetectorOptions = {}): Promise<SpeechDetector> {
    checkOptions(options, {
      signal: signalCheck,
      variant: oneOf('simd', 'relaxed'),
      assets: ['an object', (value) => typeof value === 'object' && value !== null],
    });
    if (options.assets) checkAssets(options.assets);
    const platform = options.assets ? usualPlatform.withAssets(options.assets) : usualPlatform;
    const network = await openSpeechNetwork(platform, options.signal, options.variant);
    return new SpeechDetector(network, platform);
  }

  async function detectSpeech(
    audio: AudioInput | AudioStream,
    options: DetectOptions = {},
  ): Promise<readonly SpeechRange[]> {
    checked(options);
    checkAudio(audio, true);
    const detector = await loadSpeechDetector(options.signal ? { signal: options.signal } : {});
    try {
      return await detector.detect(audio, options);
    } finally {
      detector.dispose();
    }
  }

  return { detectSpeech, loadSpeechDetector };
}
