// A model whose engines do as a test says, and a detector that cuts every two seconds.
import { disposedDuringWork, SusurrusError, wrongState } from '../../web/src/api/errors.js';
import { sampleRate } from '../../web/src/api/generated/whisper.js';
import type { Segment, WhisperModel } from '../../web/src/api/types.js';
import { EngineModel } from '../../web/src/model/model.js';
import type { VerifiedFacts } from '../../web/src/model/loading.js';
import { node } from '../../web/src/node_platform.js';
import type { Platform } from '../../web/src/platform/platform.js';
import type { Device } from '../../web/src/platform/workers.js';
import type { HeardAudio, SilenceSkipper, SpeechChunk } from '../../web/src/platform/speech.js';
import type {
  EngineCalls,
  EngineEvent,
  EngineLink,
  Settings,
} from '../../web/src/protocol/engine.js';
import type { CallOptions } from '../../web/src/protocol/link.js';
import { turns } from './turns.js';

const chunkSeconds = 2;
const chunkSamples = chunkSeconds * sampleRate;

/** A recording of so many chunks; each sample is the number of its chunk, counted from `first`. */
export const recordingOf = (chunkCount: number, first = 0): Float32Array =>
  Float32Array.from(
    { length: chunkCount * chunkSamples },
    (_, i) => first + Math.floor(i / chunkSamples),
  );

export interface Heard {
  readonly chunk: number;
  readonly threads?: number | undefined;
  readonly settings: Settings;
}

/** What all engines of a model do. */
export interface Script {
  /** Turns of the event loop that a chunk takes. */
  turnsOf?: (chunk: number, engine: number) => number;
  /** What is detected in a chunk. */
  languageOf?: (chunk: number) => string;
  /** What is heard in a chunk, twice; its number and which of both it is where absent. */
  textOf?: (chunk: number) => string;
  /** Called when a further engine is to be opened; may throw. */
  opens?: () => void;
  /** Awaited before a further engine is there; may throw. */
  loads?: (engine: number, signal: AbortSignal) => Promise<void>;
  /** Awaited before a chunk is cut, and before the end; may throw. */
  cuts?: (chunk: number) => Promise<void> | undefined;
  /** Whether a chunk takes longer yet. */
  isHeld?: (chunk: number, engine: number) => boolean;
  /** Why there is no detector. */
  detectorError?: Error;
  /** What the device tells; two processors with much memory where absent. */
  device?: Device;
  /** Threads of the model's own engine, and what loadModel() was asked for. */
  choice?: { readonly threads?: number; readonly workers?: number | 'auto' };
  /** Thrown when a chunk is given to an engine. */
  refuses?: (heard: Heard, engine: number) => Error | undefined;
}

export const engineFailed = (): SusurrusError =>
  new SusurrusError('internal_error', 'The engine failed: trap', { reason: 'internal' });

export class ScriptedEngine implements EngineLink {
  readonly heard: Heard[] = [];
  /** By decode(), with the chunks that were under way. */
  readonly decoded: { readonly chunk: number; readonly beside: readonly number[] }[] = [];
  /** Chunks under way. */
  readonly underWay = new Set<number>();
  closings = 0;
  /** What a copy was given. */
  ownThreads: number | undefined;
  #number: number;
  readonly #script: Script;
  readonly #adopted: (engine: ScriptedEngine, signal: AbortSignal) => Promise<number>;
  readonly #paused = new Set<number>();
  #failure: Error | undefined;
  #lastRun = 0;

  /** `adopted`: gives a copy its number. */
  constructor(
    script: Script,
    adopted: (engine: ScriptedEngine, signal: AbortSignal) => Promise<number>,
  ) {
    this.#number = 0;
    this.#script = script;
    this.#adopted = adopted;
  }

  get isClosed(): boolean {
    return this.closings > 0;
  }

  get isDead(): boolean {
    return this.#failure !== undefined;
  }

  /** All that is under way fails, and all that comes. */
  die(): void {
    this.#failure = engineFailed();
  }

  async call<Name extends keyof EngineCalls>(
    name: Name,
    request: EngineCalls[Name]['request'],
    { signal, onEvent }: CallOptions<EngineEvent> = {},
  ): Promise<EngineCalls[Name]['answer']> {
    if (this.isClosed) throw wrongState('The model is disposed.', 'model');
    this.#check(signal);
    if (name === 'pause') {
      const { run, isPaused } = request as EngineCalls['pause']['request'];
      if (isPaused) this.#paused.add(run);
      else this.#paused.delete(run);
      return undefined;
    }
    if (name === 'start') return undefined;
    if (name === 'copy') {
      return { memory: new Uint8Array(), model: this.#number, mostBytes: undefined } as never;
    }
    if (name === 'adopt') {
      this.ownThreads = (request as EngineCalls['adopt']['request']).threads;
      this.#number = await this.#adopted(this, signal!);
      return undefined;
    }
    if (name === 'decode') {
      const chunk = (request as EngineCalls['decode']['request']).samples[0]!;
      this.decoded.push({ chunk, beside: [...this.underWay] });
      this.underWay.add(chunk);
      await turns(5);
      this.underWay.delete(chunk);
      return { text: ` ${chunk}` } as never;
    }
    if (name !== 'transcribe') throw new Error(`${name} is in no script.`);
    const { samples, settings, run, threads } = request as EngineCalls['transcribe']['request'];
    const chunk = samples?.[0] ?? -1;
    this.heard.push({ chunk, settings, threads });
    if (run <= this.#lastRun)
      throw new Error('A pause would not reach it: its number is too small.');
    this.#lastRun = run;
    const refusal = this.#script.refuses?.({ chunk, settings }, this.#number);
    if (refusal) throw refusal;
    const found = this.#script.languageOf?.(chunk) ?? 'en';
    const { language: asked = 'auto' } = settings;
    const detects = asked === 'auto' || asked === 'per-window';
    const language = detects ? found : asked;
    const heard = {
      ...(detects && { languageProbability: 0.5 + (chunk % 50) / 100 }),
      ...(asked === 'per-window' && { languages: [{ language, seconds: 1 }] }),
    };
    const segment = (id: number): Segment => {
      const text = this.#script.textOf?.(chunk) ?? ` ${chunk}.${id}`;
      return segmentOf(id, text, settings, language);
    };
    this.underWay.add(chunk);
    try {
      const count = this.#script.turnsOf?.(chunk, this.#number) ?? 3;
      const isHeld = (): boolean => this.#script.isHeld?.(chunk, this.#number) === true;
      for (let turn = 0; turn < count || this.#paused.has(run) || isHeld(); ++turn) {
        await turns(1);
        this.#check(signal);
        if (turn !== Math.floor(count / 2)) continue;
        const segments = [segment(0)];
        onEvent?.({ type: 'window', segments, rejected: [], state: {}, languages: heard });
      }
      const segments = [segment(1)];
      const rejected = [segment(0)];
      onEvent?.({ type: 'window', segments, rejected, state: {}, languages: heard });
      return { text: '', language, duration: chunkSeconds, ...heard } as never;
    } finally {
      this.underWay.delete(chunk);
    }
  }

  close(): void {
    ++this.closings;
  }

  #check(signal: AbortSignal | undefined): void {
    if (signal?.aborted) throw signal.reason;
    if (this.isClosed) throw disposedDuringWork();
    if (this.#failure) throw this.#failure;
  }
}

function segmentOf(id: number, text: string, settings: Settings, language: string): Segment {
  return {
    ...{ id, seek: 0, start: id, end: id + 0.5, text, language },
    ...{ tokens: [settings.seed ?? 0], tokenProbabilities: [1], temperature: 0 },
    ...{ avgLogprob: 0, compressionRatio: 1, noSpeechProb: 0, encoderContext: 1500 },
    ...{ decision: 'kept', attempts: [] },
  };
}

/** The detector's part; `left` counts recordings that were given back. */
function skipperOf(counts: { left: number; pulled: number }, { cuts }: Script): SilenceSkipper {
  return {
    skip: () => Promise.reject(new Error('It is to be cut.')),
    chunks(audio: HeardAudio) {
      if (!('samples' in audio)) throw new Error('A recording was expected.');
      const { samples } = audio;
      let stop = (): void => undefined;
      const stopped = new Promise<never>((_, failed) => (stop = () => failed(new Error('left'))));
      stopped.catch(() => undefined);
      async function* cut(): AsyncGenerator<SpeechChunk, undefined, void> {
        try {
          for (let at = 0; at < samples.length; at += chunkSamples) {
            await Promise.race([cuts?.(at / chunkSamples), stopped]);
            await turns(1);
            ++counts.pulled;
            const start = at / sampleRate;
            yield {
              samples: samples.slice(at, at + chunkSamples),
              ...{ start, end: Math.min(samples.length, at + chunkSamples) / sampleRate },
              timeOf: (seconds) => seconds + start,
              placed: (segment) => ({
                ...segment,
                seek: segment.seek + 100 * start,
                ...{ start: segment.start + start, end: segment.end + start },
              }),
            };
          }
          await Promise.race([cuts?.(samples.length / chunkSamples), stopped]);
          return undefined;
        } finally {
          ++counts.left;
        }
      }
      const chunks = cut();
      const end = chunks.return.bind(chunks);
      chunks.return = (value) => {
        stop();
        return end(value);
      };
      return { sampleCount: samples.length, chunks };
    },
    close: () => {
      ++counts.left;
    },
  };
}

const facts = {
  ...{ family: 'whisper', format: 'APR2', dtypes: ['f32'], warnings: [], multilingual: true },
  memoryPlan: { weightBytes: 30e6, kvCacheBytes: 15e6, activationBytes: 5e6 },
  dims: {
    ...{ nMels: 80, nAudioCtx: 1500, nAudioState: 8, nAudioHead: 1, nAudioLayer: 1 },
    ...{ nVocab: 100, nTextCtx: 448, nTextState: 8, nTextHead: 1, nTextLayer: 1 },
  },
  special: { languages: { en: 1, de: 2, fr: 3, zh: 4 } },
} as unknown as VerifiedFacts;

/** A model and its engines, the own first, in the order in which they are there; `opened`: further ones, there or not. */
export function scriptedModel(script: Script = {}): {
  readonly model: WhisperModel & EngineModel;
  readonly engines: ScriptedEngine[];
  readonly opened: ScriptedEngine[];
  readonly counts: { left: number; pulled: number; loads: number };
} {
  const counts = { left: 0, pulled: 0, loads: 0 };
  const engines: ScriptedEngine[] = [];
  const opened: ScriptedEngine[] = [];
  const make = () =>
    new ScriptedEngine(script, async (engine, signal) => {
      const number = ++counts.loads;
      await script.loads?.(number, signal);
      engines.push(engine);
      return number;
    });
  engines.push(make());
  const platform: Platform = {
    ...node,
    openFurtherEngine: () => {
      script.opens?.();
      const engine = make();
      opened.push(engine);
      return engine;
    },
    device: () => script.device ?? { processors: 2, memoryBytes: 2 ** 40 },
    loadSilenceSkipping: () =>
      Promise.resolve({
        keepDetector: () => ({
          openSkipper: () =>
            script.detectorError
              ? Promise.reject(script.detectorError)
              : Promise.resolve(skipperOf(counts, script)),
          openGate: () => Promise.reject(new Error('There is no stream.')),
          close: () => undefined,
        }),
      }),
  };
  const choice = {
    ...({ variant: 'simd', reason: '', threads: 1, threadsReason: '', workers: 'auto' } as const),
    ...script.choice,
  };
  const model = new EngineModel(engines[0]!, platform, choice, facts);
  return { model: model as WhisperModel & EngineModel, engines, opened, counts };
}
