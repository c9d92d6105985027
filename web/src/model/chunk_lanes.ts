// Chunks of a recording, heard by several engines and told in their order.
import { SusurrusError, type ErrorCode } from '../api/errors.js';
import { anyOf, onAbort, orAborted, throwIfAborted } from '../api/signals.js';
import { leave } from '../audio/leave.js';
import type { PauseGate } from '../engine/pause_gate.js';
import type { SpeechChunk } from '../platform/speech.js';
import type { EngineLink } from '../protocol/engine.js';
import type { EnginePool, PoolUser } from './engine_pool.js';
import type { Queue } from './queue.js';

/** Further engines that may fail at a chunk. Then the model's own has it: one chunk must not end all of them. */
const mostTries = 2;

/** What another engine would say as well. */
const requestErrors: readonly ErrorCode[] = [
  'invalid_argument',
  'limit_exceeded',
  'unsupported_feature',
];

/** Where a call has its engines from. */
export interface Engines {
  /** The model's own. Its errors are the call's. */
  readonly engine: EngineLink;
  /** Whose turn it is to have the own one. */
  readonly queue: Queue;
  readonly pool: EnginePool;
  /** Engines at most, the model's own among them. */
  readonly most: number;
  /** Threads of a further engine. */
  readonly threadsOfEach: number;
  readonly gate: PauseGate;
  /** A number for what an engine hears, greater than all before: what a pause is about. */
  readonly nextRun: () => number;
}

export interface ChunkTask<Part, Heard> {
  readonly chunks: AsyncGenerator<SpeechChunk, undefined, void>;
  /** So many are done already. */
  readonly doneCount: number;
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
  readonly run: number;
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

/**
 * Each engine hears one chunk at a time, the earliest that waits. An engine that fails is left out, and its chunk waits again.
 *
 * A call has its place in the queue for the model's own engine from the moment that this is made, and further engines as the pool allots
 * them. With the first of them it begins. It gives each away when it has no more chunks for it, and a further one between two chunks
 * when another call has fewer.
 */
export class ChunkLanes<Part, Heard> implements PoolUser {
  readonly most: number;
  readonly #from: Engines;
  /** Undefined until the recording is open. */
  #task: ChunkTask<Part, Heard> | undefined;
  /** Those that hear, or will, with the number of what they hear. */
  readonly #engines = new Map<EngineLink, number | undefined>();
  readonly #stopping = new AbortController();
  /** Aborted when the call is, when it fails, and when the model is disposed of. */
  readonly signal: AbortSignal;
  readonly #release: () => void;
  /** In their order. */
  readonly #waiting: Job[] = [];
  readonly #hearings = new Map<number, Hearing<Part, Heard>>();
  #toldCount = 0;
  #underWay = 0;
  #isPulled = false;
  /** Whether an engine is wanted to begin with. */
  #isBeginning = false;
  /** Further engines, also those that are on their way. */
  #furtherCount = 0;
  #hasOwn = false;
  /** Has the own engine, or waits for it. */
  #own: { readonly lane: AbortController; readonly work: Promise<void> } | undefined;
  #keepsOwn = false;
  #isOver = false;
  /** Aborted with the task. Each lane listens to its own: Node warns of a signal that has more than ten listeners. */
  readonly #lanes = new Set<AbortController>();
  #wake: (() => void)[] = [];

  constructor(from: Engines, signals: readonly (AbortSignal | undefined)[]) {
    this.#from = from;
    this.most = from.most;
    const joined = anyOf([...signals, this.#stopping.signal]);
    this.signal = joined.signal;
    onAbort(this.signal, () => {
      for (const lane of this.#lanes) lane.abort(this.signal.reason);
      this.#changed();
    });
    const leavePool = from.pool.join(this);
    this.#release = () => {
      joined.release();
      leavePool();
    };
    from.gate.onChange = (isPaused) => this.#onPause(isPaused);
    this.#queueForOwn(false);
  }

  get wantsMore(): boolean {
    const { gate, most } = this.#from;
    const idleCount = this.engineCount - this.#underWay;
    // Behind a call that is no other's in chunks the own engine is soon free, and its copy would be one too many.
    const isBeginning = this.#isBeginning && this.#from.pool.isShared;
    const wanted = this.#waiting.length + Number(isBeginning);
    const isStopped = this.#isOver || this.signal.aborted || gate.isPaused;
    return !isStopped && this.#furtherCount < most - 1 && wanted > idleCount;
  }

  get engineCount(): number {
    return this.#furtherCount + Number(this.#hasOwn);
  }

  /** What came of chunks whose turn has not come, in order. */
  get untold(): readonly Part[] {
    const hearings = [...this.#hearings].sort(([a], [b]) => a - b);
    return hearings.flatMap(([, { parts, toldCount }]) => parts.slice(toldCount));
  }

  stop(reason: unknown): void {
    this.#stopping.abort(reason);
  }

  /** Resolves when the call has an engine. */
  async begin(): Promise<void> {
    // Its caller may pause it at once.
    await Promise.resolve();
    this.#isBeginning = true;
    this.#from.pool.allot();
    while (this.#engines.size === 0) await this.#change();
    this.#isBeginning = false;
    throwIfAborted(this.signal);
  }

  /** Resolves when the call has the model's own engine, which it then has until close(). */
  async takeOwn(): Promise<void> {
    this.#keepsOwn = true;
    this.#queueForOwn(true);
    while (!this.#engines.has(this.#from.engine)) await this.#change();
  }

  /** Resolves when all is told. Once this rejects nothing more is told. */
  async run(task: ChunkTask<Part, Heard>, signal: AbortSignal): Promise<void> {
    this.#task = task;
    this.#toldCount = task.doneCount;
    const stopListening = onAbort(signal, () => this.stop(signal.reason));
    const pulling = this.#pull(task);
    try {
      await orAborted(pulling, this.signal);
      while (this.#waiting.length + this.#engines.size > 0) await this.#change();
      // Engines on their way are for others.
      this.#isOver = true;
    } catch (error) {
      this.#stopping.abort(error);
      throw error;
    } finally {
      stopListening();
      leave(task.chunks);
      await Promise.allSettled([pulling]);
    }
  }

  /** The call is over, in whatever way. Resolves when the model's own engine has stopped. */
  async close(): Promise<void> {
    if (!this.#isOver) this.#stopping.abort();
    this.#isOver = true;
    this.#own?.lane.abort();
    await this.#own?.work;
    this.#from.gate.onChange = undefined;
    this.#release();
  }

  /** Takes no more than a chunk for each engine, and one. Texts that wait for an earlier one may be some more. */
  async #pull({ chunks, doneCount }: ChunkTask<Part, Heard>): Promise<void> {
    let index = 0;
    await this.#whilePaused();
    for await (const chunk of chunks) {
      if (index >= doneCount) this.#offer({ index, chunk, tries: 0 });
      ++index;
      while (
        this.#waiting.length + this.#underWay > Math.max(1, this.engineCount) ||
        index - this.#toldCount > 2 * this.most + 1
      ) {
        await this.#change();
      }
      await this.#whilePaused();
    }
    throwIfAborted(this.signal);
    // A model has something to say about silence, too: its language.
    if (index === 0) this.#offer({ index, chunk: nothing, tries: 0 });
    this.#isPulled = true;
    this.#changed();
  }

  #offer(job: Job): void {
    const later = this.#waiting.findIndex(({ index }) => index > job.index);
    this.#waiting.splice(later < 0 ? this.#waiting.length : later, 0, job);
    this.#from.pool.allot();
    if (job.tries > 0 || this.#waiting.length > this.engineCount - this.#underWay) {
      this.#queueForOwn(true);
    }
    this.#changed();
  }

  /** Begins to wait for the own engine, unless the call has it or waits already. `isFirst`: before all others. */
  #queueForOwn(isFirst: boolean): void {
    if (this.#own || this.#isOver || this.signal.aborted) return;
    const lane = this.#lane();
    this.#hasOwn = this.#from.queue.isFree;
    this.#own = { lane, work: this.#hearWithOwn(lane, isFirst) };
  }

  async #hearWithOwn(lane: AbortController, isFirst: boolean): Promise<void> {
    const { engine, queue, gate } = this.#from;
    let end: (() => void) | undefined;
    try {
      end = await queue.take(lane.signal, isFirst);
      throwIfAborted(lane.signal);
      this.#hasOwn = true;
      const isNeeded = this.#keepsOwn || this.#engines.size === 0 || this.#waiting.length > 0;
      if (isNeeded) {
        queue.isHeldUp = gate.isPaused;
        await this.#work(engine, lane, true);
      }
    } catch (error) {
      if (!this.#isOver) this.#stopping.abort(error);
    } finally {
      this.#hasOwn = false;
      this.#own = undefined;
      this.#lanes.delete(lane);
      if (end) {
        queue.isHeldUp = false;
        end();
      }
      // Wanted again meanwhile.
      if (this.#waiting.length > 0 || this.#keepsOwn) this.#queueForOwn(true);
    }
  }

  takeFurther(): void {
    ++this.#furtherCount;
    void this.#hearWithFurther();
    this.#changed();
  }

  async #hearWithFurther(): Promise<void> {
    const { pool, most, threadsOfEach } = this.#from;
    const lane = this.#lane();
    let engine: EngineLink | undefined;
    try {
      engine = await pool.take(most - 1, threadsOfEach, lane.signal);
      if (engine) await this.#work(engine, lane, false);
    } catch (error) {
      if (!this.#isOver) this.#stopping.abort(error);
    } finally {
      --this.#furtherCount;
      this.#lanes.delete(lane);
      if (engine) pool.giveBack(engine);
      else pool.allot();
      this.#changed();
    }
  }

  #lane(): AbortController {
    const lane = new AbortController();
    if (this.signal.aborted) lane.abort(this.signal.reason);
    this.#lanes.add(lane);
    return lane;
  }

  async #work(engine: EngineLink, { signal }: AbortController, isOwn: boolean): Promise<void> {
    this.#engines.set(engine, undefined);
    this.#changed();
    try {
      for (;;) {
        const job = await this.#next(engine, signal, isOwn);
        if (!job) return;
        const { hear } = this.#task as ChunkTask<Part, Heard>;
        const hearing = this.#begin(job.index);
        const onPart = (part: Part): void => {
          if (this.signal.aborted) return;
          hearing.parts.push(part);
          this.#tell();
          this.#changed();
        };
        const isEarliest = (): boolean => job.index === this.#toldCount;
        const run = this.#from.nextRun();
        this.#engines.set(engine, run);
        try {
          hearing.heard = await hear(engine, job.chunk, { onPart, isEarliest, signal, run });
        } catch (error) {
          throwIfAborted(this.signal);
          if (isOwn || isAboutRequest(error)) throw error;
          this.#from.pool.lose(engine, error);
          --this.#underWay;
          this.#offer({ ...job, tries: job.tries + 1 });
          return;
        } finally {
          this.#engines.set(engine, undefined);
        }
        throwIfAborted(this.signal);
        --this.#underWay;
        this.#tell();
        this.#changed();
      }
    } finally {
      this.#engines.delete(engine);
      this.#changed();
    }
  }

  /** The next one for such an engine; undefined when there are no more for it. */
  async #next(engine: EngineLink, signal: AbortSignal, isOwn: boolean): Promise<Job | undefined> {
    const isForThis = ({ tries }: Job): boolean => isOwn || tries < mostTries;
    while (!this.#isOver) {
      await this.#whilePaused(signal);
      // Those that are on their way may never come.
      if (!isOwn && this.#engines.size > 1 && this.#from.pool.owes(this)) {
        this.#engines.delete(engine);
        return undefined;
      }
      const offered = this.#task?.isApart() ? this.#waiting.length : Number(this.#underWay === 0);
      const at = this.#waiting.slice(0, offered).findIndex(isForThis);
      if (at >= 0) {
        ++this.#underWay;
        return this.#waiting.splice(at, 1)[0];
      }
      if (this.#isPulled && !this.#waiting.some(isForThis)) return undefined;
      await this.#change();
    }
    return undefined;
  }

  #onPause(isPaused: boolean): void {
    if (this.#hasOwn) this.#from.queue.isHeldUp = isPaused;
    for (const [engine, run] of this.#engines) {
      if (run !== undefined) void engine.call('pause', { run, isPaused }).catch(() => undefined);
    }
    if (!isPaused) this.#from.pool.allot();
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
        this.#task?.tellPart(part);
      }
      if (next.heard === undefined) return;
      this.#hearings.delete(this.#toldCount++);
      this.#task?.tell(next.heard);
    }
  }

  async #whilePaused(signal = this.signal): Promise<void> {
    const { gate } = this.#from;
    while (gate.opening) await orAborted(gate.opening, signal);
  }

  async #change(): Promise<void> {
    throwIfAborted(this.signal);
    await new Promise<void>((wake) => this.#wake.push(wake));
    throwIfAborted(this.signal);
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
