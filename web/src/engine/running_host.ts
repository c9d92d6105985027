// What engines of all families do: audio to samples, samples to text.
import { wrongState } from '../api/errors.js';
import type { CommonCalls, EngineEvent, LiveCalls, LoadedFacts } from '../protocol/engine.js';
import type { CallTable } from '../protocol/link.js';
import { ModuleHost, type Handlers } from '../worker/module_host.js';
import { Conversions, type Conversion } from './audio_conversion.js';
import { recordingSupply, StreamSupply } from './audio_supply.js';
import type { EngineHolder } from './engine.mjs';
import type { RunningModule } from './engine_module.js';
import { LiveStreams } from './live_streams.js';
import { PauseGate } from './pause_gate.js';
import { mostThreads } from '../platform/threads.js';
import { checkSamples } from '../api/sample_check.js';
import { transcribeAudio, type TranscriptionEngine } from './transcribing.js';

type RunningCalls = Pick<
  CommonCalls,
  | 'beginConversion'
  | 'convertPiece'
  | 'takeConverted'
  | 'endConversion'
  | 'dropConversion'
  | 'transcribe'
  | 'feedAudio'
  | 'pause'
  | 'memory'
> &
  LiveCalls;

export abstract class RunningHost<Calls extends CallTable<Calls>> extends ModuleHost<
  Calls,
  EngineEvent
> {
  readonly spends: ReadonlySet<string> = new Set([
    ...['pushHead', 'pushLoad', 'adopt', 'transcribe', 'hearSpeech'],
  ]);
  readonly #conversions = new Conversions();
  readonly #live = new LiveStreams();
  /** Audio of transcriptions that are streams, by their numbers. */
  readonly #streams = new Map<number, StreamSupply>();
  /** Gate of the latest transcription that was begun or paused; the two messages may come in either order. */
  #gate: { readonly run: number; readonly gate: PauseGate } | undefined;

  /** Calls under way for which those beside them wait. */
  #busy = 0;
  readonly #idle = new PauseGate();

  override async handle<Name extends keyof Calls & string>(
    name: Name,
    request: Calls[Name]['request'],
    signal: AbortSignal,
    emit: (event: EngineEvent) => void,
  ): Promise<Calls[Name]['answer']> {
    if (isAside(name, request)) return super.handle(name, request, signal, emit);
    ++this.#busy;
    this.#idle.isPaused = true;
    try {
      return await super.handle(name, request, signal, emit);
    } finally {
      this.#idle.isPaused = --this.#busy > 0;
    }
  }

  /** The module; rejected before it is there. */
  protected abstract get opened(): RunningModule;
  /** The module with its model; rejected before the model is there. */
  protected abstract get transcriptionEngine(): TranscriptionEngine;
  protected abstract get facts(): LoadedFacts;

  protected readonly running: Handlers<RunningCalls, EngineEvent> = {
    beginConversion: (shape) => this.#conversions.begin(this.opened, shape),
    convertPiece: async ({ id, piece }, { yielder }) => {
      const ready = await this.#conversion(id).push(piece, yielder);
      return { ready, piece };
    },
    takeConverted: ({ id }) => this.#conversion(id).take(),
    endConversion: ({ id }) => {
      try {
        return this.#conversion(id).finish();
      } finally {
        this.#conversions.end(id);
      }
    },
    dropConversion: ({ id }) => {
      this.#conversions.end(id);
      return undefined;
    },

    transcribe: async ({ samples, run, beside, threads, ...task }, { yielder, emit }) => {
      const { transcriptionEngine } = this;
      if (samples) await checkSamples(samples, yielder);
      const supply = samples
        ? recordingSupply(samples)
        : new StreamSupply((sampleCount) => emit({ type: 'audioWanted', sampleCount }));
      if (supply instanceof StreamSupply) this.#streams.set(run, supply);
      const recording = { supply, ...task };
      try {
        if (!beside) {
          this.limitThreads(threads ?? mostThreads);
          const gate = this.#gateOf(run);
          return await transcribeAudio(transcriptionEngine, recording, gate, yielder, emit);
        }
        const model = this.modelBeside();
        try {
          const engine = { ...transcriptionEngine, model };
          return await transcribeAudio(engine, recording, this.#idle, yielder, emit);
        } finally {
          model.delete();
        }
      } finally {
        this.#streams.delete(run);
        if (!beside) this.limitThreads(mostThreads);
      }
    },
    feedAudio: ({ run, samples }) => {
      this.#streams.get(run)?.receive(samples);
      return undefined;
    },
    pause: ({ run, isPaused }) => {
      this.#gateOf(run).isPaused = isPaused;
      return undefined;
    },

    beginLive: ({ settings }) =>
      this.#live.begin(this.opened, this.transcriptionEngine.model, settings),
    feedLive: ({ id, samples }, { yielder }) => this.#live.feed(this.opened, id, samples, yielder),
    flushLive: ({ id }, { yielder }) => this.#live.flush(this.opened, id, yielder),
    skipLive: ({ id, sampleCount }) => this.#live.skip(id, sampleCount),
    endLive: ({ id }) => {
      this.#live.end(id);
      return undefined;
    },

    memory: () => {
      const { memoryPlan } = this.facts;
      const heap = this.opened.heapStatistics();
      return {
        ...memoryPlan,
        heapBytes: heap.currentBytes,
        heapPeakBytes: heap.peakBytes,
        allocationCount: heap.allocationCount,
        wasmBytes: (this.opened.HEAPU8 as Uint8Array).byteLength,
      };
    },
  };

  /** For what follows, until it is said again. */
  protected abstract limitThreads(most: number): void;

  /** A model on the same weights that works beside the other one, to be deleted before it. */
  protected modelBeside(): EngineHolder {
    throw wrongState('Only a Whisper works beside other calls.', 'transcribe');
  }

  #conversion(id: number): Conversion {
    const conversion = this.#conversions.get(id);
    if (!conversion) throw wrongState('This conversion has ended.', 'audio');
    return conversion;
  }

  #gateOf(run: number): PauseGate {
    if (!this.#gate || this.#gate.run < run) this.#gate = { run, gate: new PauseGate() };
    // A late message about an earlier one means nothing.
    return this.#gate.run === run ? this.#gate.gate : new PauseGate();
  }
}

/** Whether calls that give way to others need not wait for this one. */
const isAside = (name: string, request: unknown): boolean =>
  name === 'feedAudio' ||
  name === 'pause' ||
  (name === 'transcribe' && (request as CommonCalls['transcribe']['request']).beside === true);
