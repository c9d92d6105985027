// Chunks of a recording, heard by several engines and told in their order.
import { SusurrusError, type ErrorCode } from '../api/errors.js';
import { anyOf, onAbort, orAborted, throwIfAborted } from '../api/signals.js';
import { leave } from '../audio/leave.js';
import type { PauseGate } from '../engine/pause_gate.js';
import type { SpeechChunk } from '../platform/speech.js';
import type { EngineLink } from '../protocol/engine.js';
import type { EnginePool } from './engine_pool.js';

/** Further engines that may fail at a chunk. Then the model's own has it: one chunk must not end all of them. */
const mostTries = 2;

/** What another engine would say as well. */
const requestErrors: readonly ErrorCode[] = [
  'invalid_argument',
  'limit_exceeded',
  'unsupported_feature',
];

export interface ChunkTask<Part, Heard> {
  readonly chunks: AsyncGenerator<SpeechChunk, undefined, void>;
  /** So many are done already. */
  readonly doneCount: number;
  /** The model's own engine. Its errors are the task's. */
  readonly engine: EngineLink;
  readonly pool: EnginePool;
  /** Engines at most, the model's own among them. */
  readonly most: number;
  /** Threads of a further engine. */
  readonly threadsOfEach: number;
  readonly gate: PauseGate;
  /** Whether what is heard in a chunk depends on no other. Else they are heard one after the other. */
  readonly isApart: () => boolean;
  readonly hear: (
    engine: EngineLink,
    chunk: SpeechChunk,
    call: HearingCall<Part>,
  ) => Promise<Heard>;
  /** Called in the chunks' order, and for the earliest chunk as its parts come. */
  readonly tellPart: (part: Part) => void;
  /** Called in the chunks' order, each behind its parts. */
  readonly tell: (heard: Heard) => void;
}

/** What goes with a chunk to an engine. */
export interface HearingCall<Part> {
  /** Parts are the same whoever hears the chunk. */
  readonly onPart: (part: Part) => void;
  /** Whether nothing before this chunk is missing. */
  readonly isEarliest: () => boolean;
  readonly signal: AbortSignal;
}

interface Job {
  readonly index: number;
  readonly chunk: SpeechChunk;
  readonly tries: number;
}

/** What came of a chunk so far. */
interface Hearing<Part, Heard> {
  parts: Part[];
  /** Parts that were told, also of a try that failed. */
  toldCount: number;
  heard: Heard | undefined;
}

/** Each engine hears one chunk at a time, the earliest that waits. An engine that fails is left out, and its chunk waits again. */
export class ChunkLanes<Part, Heard> {
  readonly #task: ChunkTask<Part, Heard>;
  /** Those that hear, or will. */
  readonly #engines = new Set<EngineLink>();
  readonly #stopping = new AbortController();
  readonly #signal: AbortSignal;
  readonly #release: () => void;
  /** In their order. */
  readonly #waiting: Job[] = [];
  readonly #hearings = new Map<number, Hearing<Part, Heard>>();
  #toldCount: number;
  #underWay = 0;
  #isPulled = false;
  #laneCount = 1;
  /** Aborted with the task. Each lane listens to its own: Node warns of a signal that has more than ten listeners. */
  readonly #lanes = new Set<AbortController>();
  #wake: (() => void)[] = [];

  constructor(task: ChunkTask<Part, Heard>, signal: AbortSignal) {
    this.#task = task;
    this.#toldCount = task.doneCount;
    const joined = anyOf([signal, this.#stopping.signal]);
    this.#signal = joined.signal;
    this.#release = joined.release;
    onAbort(this.#signal, () => {
      for (const lane of this.#lanes) lane.abort(this.#signal.reason);
      this.#changed();
    });
  }

  get engines(): ReadonlySet<EngineLink> {
    return this.#engines;
  }

  /** Resolves when all is told. Once this rejects nothing more is told, and the model's own engine has stopped. */
  async run(): Promise<void> {
    const works = [this.#pull(), this.#work(this.#task.engine, this.#lane(), true)];
    try {
      await Promise.all(works);
    } catch (error) {
      this.#stopping.abort(error);
      throw error;
    } finally {
      leave(this.#task.chunks);
      await Promise.allSettled(works);
      this.#release();
    }
  }

  /** Takes no more than a chunk for each engine, and one. Texts that wait for an earlier one may be some more. */
  async #pull(): Promise<void> {
    const { chunks, doneCount, most } = this.#task;
    let index = 0;
    await this.#whilePaused();
    for await (const chunk of chunks) {
      if (index >= doneCount) this.#offer({ index, chunk, tries: 0 });
      ++index;
      while (
        this.#waiting.length + this.#underWay > most ||
        index - this.#toldCount > 2 * most + 1
      ) {
        await this.#change();
      }
      await this.#whilePaused();
    }
    throwIfAborted(this.#signal);
    // A model has something to say about silence, too: its language.
    if (index === 0) this.#offer({ index, chunk: nothing, tries: 0 });
    this.#isPulled = true;
    this.#changed();
  }

  #offer(job: Job): void {
    const later = this.#waiting.findIndex(({ index }) => index > job.index);
    this.#waiting.splice(later < 0 ? this.#waiting.length : later, 0, job);
    // No more than there are chunks.
    const wanted = Math.min(this.#task.most, job.index + 1 - this.#task.doneCount);
    if (this.#laneCount < wanted) void this.#hearWithFurther();
    this.#changed();
  }

  async #hearWithFurther(): Promise<void> {
    const { pool, most, threadsOfEach } = this.#task;
    ++this.#laneCount;
    const lane = this.#lane();
    let engine: EngineLink | undefined;
    try {
      engine = await pool.take(most - 1, threadsOfEach, lane.signal);
      if (engine) await this.#work(engine, lane, false);
    } catch (error) {
      this.#stopping.abort(error);
    } finally {
      --this.#laneCount;
      this.#lanes.delete(lane);
      if (engine) pool.giveBack(engine);
    }
  }

  #lane(): AbortController {
    const lane = new AbortController();
    if (this.#signal.aborted) lane.abort(this.#signal.reason);
    this.#lanes.add(lane);
    return lane;
  }

  async #work(engine: EngineLink, { signal }: AbortController, isOwn: boolean): Promise<void> {
    this.#engines.add(engine);
    try {
      for (;;) {
        const job = await this.#next(signal, isOwn);
        if (!job) return;
        const hearing = this.#begin(job.index);
        const onPart = (part: Part): void => {
          if (this.#signal.aborted) return;
          hearing.parts.push(part);
          this.#tell();
          this.#changed();
        };
        const isEarliest = (): boolean => job.index === this.#toldCount;
        try {
          const call = { onPart, isEarliest, signal };
          hearing.heard = await this.#task.hear(engine, job.chunk, call);
        } catch (error) {
          throwIfAborted(this.#signal);
          if (isOwn || isAboutRequest(error)) throw error;
          this.#task.pool.lose(engine, error);
          --this.#underWay;
          this.#offer({ ...job, tries: job.tries + 1 });
          return;
        }
        throwIfAborted(this.#signal);
        --this.#underWay;
        this.#tell();
        this.#changed();
      }
    } finally {
      this.#engines.delete(engine);
    }
  }

  /** The next one for such an engine; undefined when all is heard. */
  async #next(signal: AbortSignal, isOwn: boolean): Promise<Job | undefined> {
    const { isApart } = this.#task;
    for (;;) {
      await this.#whilePaused(signal);
      const offered = isApart() ? this.#waiting.length : Number(this.#underWay === 0);
      const at = this.#waiting
        .slice(0, offered)
        .findIndex(({ tries }) => isOwn || tries < mostTries);
      if (at >= 0) {
        ++this.#underWay;
        return this.#waiting.splice(at, 1)[0];
      }
      if (this.#isPulled && this.#waiting.length + this.#underWay === 0) return undefined;
      await this.#change();
    }
  }

  #begin(index: number): Hearing<Part, Heard> {
    const toldCount = this.#hearings.get(index)?.toldCount ?? 0;
    const hearing: Hearing<Part, Heard> = { parts: [], toldCount, heard: undefined };
    this.#hearings.set(index, hearing);
    return hearing;
  }

  /** What has its turn. */
  #tell(): void {
    for (;;) {
      const next = this.#hearings.get(this.#toldCount);
      if (!next) return;
      for (const part of next.parts.slice(next.toldCount)) {
        ++next.toldCount;
        this.#task.tellPart(part);
      }
      if (next.heard === undefined) return;
      this.#hearings.delete(this.#toldCount++);
      this.#task.tell(next.heard);
    }
  }

  async #whilePaused(signal = this.#signal): Promise<void> {
    const { gate } = this.#task;
    while (gate.opening) await orAborted(gate.opening, signal);
  }

  async #change(): Promise<void> {
    throwIfAborted(this.#signal);
    await new Promise<void>((wake) => this.#wake.push(wake));
    throwIfAborted(this.#signal);
  }

  #changed(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

const isAboutRequest = (error: unknown): boolean =>
  error instanceof SusurrusError && requestErrors.includes(error.code);

const nothing: SpeechChunk = {
  samples: new Float32Array(),
  start: 0,
  end: 0,
  timeOf: (seconds) => seconds,
  placed: (segment) => segment,
};
