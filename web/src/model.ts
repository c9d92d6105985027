import type {
  AudioInput,
  DecodeOptions,
  DecodeResult,
  LogMelOptions,
  MemoryFacts,
  Mel,
  Model,
  ModelInfo,
  Segment,
  Tokenizer,
  TranscribeOptions,
  Transcription,
  TranscriptionResult,
} from './api_types.js';
import { checkAudio, sampleRate, toSamples } from './audio/audio_input.js';
import type { EngineLink, LoadedFacts } from './engine/protocol.js';
import type { VariantChoice } from './engine/variant.js';
import { invalidOption } from './errors.js';
import { checkOptions, decodingSettings } from './options.js';
import type { Platform } from './platform/platform.js';
import { Queue } from './queue.js';
import { startTranscription } from './transcription.js';

/** A Model whose engine lives behind a link. */
export class EngineModel implements Model {
  readonly info: ModelInfo;
  readonly tokenizer: Tokenizer;
  readonly #engine: EngineLink;
  readonly #platform: Platform;
  readonly #queue = new Queue();

  constructor(engine: EngineLink, platform: Platform, choice: VariantChoice, facts: LoadedFacts) {
    this.#engine = engine;
    this.#platform = platform;
    const codes = Object.keys(facts.special.languages);
    this.info = {
      dims: facts.dims,
      format: facts.format,
      dtypes: facts.dtypes,
      variant: choice.variant,
      variantReason: choice.reason,
      multilingual: facts.multilingual,
      // An English-only model has all language tokens but knows one language.
      languages: facts.multilingual ? codes : codes.length === 1 ? codes : ['en'],
      warnings: facts.warnings,
    };
    this.tokenizer = {
      special: facts.special,
      encode: (text) => this.#run(() => engine.call('tokenize', { text })),
      decode: (tokens) => this.#run(() => engine.call('detokenize', { tokens: toTokens(tokens) })),
    };
  }

  transcribe(audio: AudioInput, options: TranscribeOptions = {}): Transcription {
    return startTranscription((onSegment, leaving) =>
      this.#transcribe(audio, options, onSegment, leaving),
    );
  }

  async #transcribe(
    audio: AudioInput,
    options: TranscribeOptions,
    onSegment: (segment: Segment) => void,
    leaving: AbortSignal,
  ): Promise<TranscriptionResult> {
    const settings = decodingSettings(options, this.info.languages, true);
    checkAudio(audio);
    const { onProgress } = options;
    return this.#run(async () => {
      const { signal, release } = firstOf(options.signal, leaving);
      try {
        const samples = await toSamples(audio, this.#engine, this.#platform, signal);
        const duration = samples.length / sampleRate;
        const segments: Segment[] = [];
        const { text, language } = await this.#engine.call(
          'transcribe',
          { samples, settings },
          {
            signal,
            onEvent: (event) => {
              if (event.type === 'segment') {
                segments.push(event.segment);
                onSegment(event.segment);
              } else {
                const { fraction } = event;
                onProgress?.({
                  phase: 'transcribe',
                  loaded: fraction * duration,
                  total: duration,
                  fraction,
                });
              }
            },
          },
        );
        return { text, language, duration, segments };
      } finally {
        release();
      }
    }, options.signal);
  }

  async decode(audio: AudioInput, options: DecodeOptions = {}): Promise<DecodeResult> {
    const settings = decodingSettings(options, this.info.languages, false);
    checkAudio(audio);
    const { signal } = options;
    return this.#run(async () => {
      const samples = await toSamples(audio, this.#engine, this.#platform, signal);
      return this.#engine.call('decode', { samples, settings }, { signal });
    }, signal);
  }

  async logMel(audio: AudioInput, options: LogMelOptions = {}): Promise<Mel> {
    checkOptions(options, {
      mode: ["'window' or 'whole'", (mode) => mode === 'window' || mode === 'whole'],
    });
    checkAudio(audio);
    return this.#run(async () => {
      const samples = await toSamples(audio, this.#engine, this.#platform, undefined);
      return this.#engine.call('logMel', { samples, mode: options.mode ?? 'window' });
    });
  }

  async encode(mel: Mel): Promise<Float32Array> {
    const { nMels, nAudioCtx } = this.info.dims;
    const nFrames = 2 * nAudioCtx;
    if (mel.nMels !== nMels || mel.nFrames !== nFrames || mel.data.length !== nMels * nFrames) {
      throw invalidOption(
        'mel',
        `one window of ${nMels} × ${nFrames} values`,
        `${mel.nMels} × ${mel.nFrames} (${mel.data.length} values)`,
      );
    }
    return this.#run(() => this.#engine.call('encode', { mel: mel.data }));
  }

  async logits(tokens: readonly number[] | Uint32Array): Promise<Float32Array> {
    const ids = toTokens(tokens);
    return this.#run(() => this.#engine.call('logits', { tokens: ids }));
  }

  memory(): Promise<MemoryFacts> {
    return this.#run(() => this.#engine.call('memory', undefined));
  }

  dispose(): void {
    this.#engine.close();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.dispose();
    return Promise.resolve();
  }

  #run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#queue.run(work, signal);
  }
}

function toTokens(tokens: readonly number[] | Uint32Array): Uint32Array {
  const isId = (token: number): boolean => Number.isInteger(token) && token >= 0 && token < 2 ** 32;
  if (!(tokens instanceof Uint32Array) && !(Array.isArray(tokens) && tokens.every(isId))) {
    throw invalidOption('tokens', 'token ids', tokens);
  }
  return Uint32Array.from(tokens);
}

/** A signal that follows both, until released. */
function firstOf(
  ours: AbortSignal | undefined,
  leaving: AbortSignal,
): { signal: AbortSignal; release: () => void } {
  if (!ours) return { signal: leaving, release: () => undefined };
  const controller = new AbortController();
  const follow = (from: AbortSignal) => () => controller.abort(from.reason);
  const links = [ours, leaving].map((from) => [from, follow(from)] as const);
  for (const [from, onAbort] of links) {
    if (from.aborted) onAbort();
    else from.addEventListener('abort', onAbort, { once: true });
  }
  return {
    signal: controller.signal,
    release: () => links.forEach(([from, onAbort]) => from.removeEventListener('abort', onAbort)),
  };
}
