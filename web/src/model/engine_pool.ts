// The further engines of a model, each with weights of its own, for transcriptions in chunks.
import { disposedDuringWork } from '../api/errors.js';
import { SharedWork } from '../api/shared_work.js';
import { onAbort, throwIfAborted } from '../api/signals.js';
import type { EngineLink } from '../protocol/engine.js';
import type { Companion } from './resting_engine.js';

/** Makes one more engine with the model, in a worker, of so many threads where the model's own has several. */
export type CopyEngine = (threads: number, signal: AbortSignal) => Promise<EngineLink>;

const warningOf = (error: unknown): string =>
  'Fewer engines than the option workers allows transcribe with this model; the text is the same. ' +
  (error instanceof Error ? error.message : String(error));

/** An engine that is there, or on its way. */
interface Place {
  readonly loading: SharedWork<EngineLink>;
  engine: EngineLink | undefined;
  isTaken: boolean;
}

/** A call that may have further engines. */
export interface PoolUser {
  /** Engines at most, the model's own among them. */
  readonly most: number;
  /** Whether it has work for one more. */
  readonly wantsMore: boolean;
  /** Engines that it has, also those that are on their way. */
  readonly engineCount: number;
  /** Takes one. */
  readonly takeFurther: () => void;
  /** The model is disposed of. */
  readonly stop: (reason: Error) => void;
}

/** Milliseconds after which engines that nobody works with end, unless they are kept. */
const patience = 60_000;

/**
 * Engines are made when they are wanted, and stay for a while, or, where they are kept, until the model sleeps or ends. One that fails is
 * not replaced before.
 */
export class EnginePool implements Companion {
  readonly #warn: (warning: string) => void;
  #copy: CopyEngine | undefined;
  #places: Place[] = [];
  /** In the order of the calls. */
  readonly #users = new Set<PoolUser>();
  #lost = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  isKept = false;
  #isClosed = false;
  #hasWarned = false;

  /** `warn` is called at most once; it must not keep the model alive, whose engine refers to this. */
  constructor(warn: (warning: string) => void) {
    this.#warn = warn;
  }

  /** From now on there may be further engines. `copy` must not keep the model alive, either. */
  copyWith(copy: CopyEngine): void {
    this.#copy = copy;
  }

  /** Takes over engines that have the model already. */
  takeOver(engines: readonly EngineLink[]): void {
    for (const engine of engines) {
      const loading = new SharedWork(() => Promise.resolve(engine));
      this.#places.push({ loading, engine, isTaken: false });
    }
  }

  /** Further engines that are at work. */
  get takenCount(): number {
    return this.#places.filter(({ isTaken, engine }) => isTaken && engine).length;
  }

  /** Whether several calls may have them. */
  get isShared(): boolean {
    return this.#users.size > 1;
  }

  /** From now on it has what it wants as soon as there is one, behind those that have fewer, or came before. Returns what ends that. */
  join(user: PoolUser): () => void {
    if (this.#isClosed) user.stop(disposedDuringWork());
    this.#users.add(user);
    return () => void this.#users.delete(user);
  }

  /** Call it when a user may want more than before. */
  allot(): void {
    for (;;) {
      let poorest: PoolUser | undefined;
      for (const user of this.#users) {
        const isPoorer = !poorest || user.engineCount < poorest.engineCount;
        if (isPoorer && user.wantsMore && this.#has(user.most - 1)) poorest = user;
      }
      if (!poorest) return;
      poorest.takeFurther();
    }
  }

  /** Whether another would have no more than this one if it had one of its engines. */
  owes(from: PoolUser): boolean {
    const isOwed = (user: PoolUser): boolean =>
      user.engineCount + 1 < from.engineCount && user.wantsMore;
    return [...this.#users].some(isOwed);
  }

  /** Takes an engine that nobody has, made if need be, where there may be so many; undefined if there is none. */
  async take(most: number, threads: number, signal: AbortSignal): Promise<EngineLink | undefined> {
    const place = this.#places.find(({ isTaken }) => !isTaken) ?? this.#add(most, threads);
    if (!place) return undefined;
    clearTimeout(this.#timer);
    place.isTaken = true;
    try {
      return (place.engine = await place.loading.join(signal));
    } catch (error) {
      this.#remove(place);
      if (!signal.aborted && !place.loading.isDropped) this.#count(error);
      return undefined;
    }
  }

  /** It is not used any more, for now. */
  giveBack(engine: EngineLink): void {
    const place = this.#placeOf(engine);
    if (place) place.isTaken = false;
    this.allot();
    if (this.isKept || this.#isClosed || this.#places.some(({ isTaken }) => isTaken)) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.rest(), patience);
    // An idle model must not keep a program in Node alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  /** Makes so many, unless they are there. Those that cannot be had are missing later. */
  async makeReady(count: number, threads: number, signal?: AbortSignal): Promise<void> {
    // Each listens to a signal of its own, as in lanes.
    const waits = Array.from({ length: count }, () => new AbortController());
    const release = onAbort(signal, () => {
      for (const wait of waits) wait.abort(signal?.reason);
    });
    try {
      const taking = waits.map((wait) => this.take(count, threads, wait.signal));
      for (const engine of await Promise.all(taking)) if (engine) this.giveBack(engine);
    } finally {
      release();
    }
    throwIfAborted(signal);
  }

  /** It has failed. */
  lose(engine: EngineLink, error: unknown): void {
    const place = this.#placeOf(engine);
    // With the model all of them ended.
    if (!place) return;
    this.#remove(place);
    engine.close();
    this.#count(error);
  }

  rest(): void {
    clearTimeout(this.#timer);
    for (const { loading, engine } of this.#places.splice(0)) {
      loading.drop();
      engine?.close();
    }
    this.#lost = 0;
  }

  close(): void {
    this.#isClosed = true;
    for (const user of this.#users) user.stop(disposedDuringWork());
    this.rest();
  }

  #has(most: number): boolean {
    return this.#places.some(({ isTaken }) => !isTaken) || this.#mayAdd(most);
  }

  #mayAdd(most: number): boolean {
    return Boolean(this.#copy) && !this.#isClosed && this.#places.length + this.#lost < most;
  }

  #add(most: number, threads: number): Place | undefined {
    const copy = this.#copy;
    if (!copy || !this.#mayAdd(most)) return undefined;
    const loading = new SharedWork(async (dropped) => {
      const engine = await copy(threads, dropped);
      if (dropped.aborted) engine.close();
      else place.engine = engine;
      return engine;
    });
    const place: Place = { loading, engine: undefined, isTaken: false };
    this.#places.push(place);
    return place;
  }

  #placeOf(engine: EngineLink): Place | undefined {
    return this.#places.find((place) => place.engine === engine);
  }

  #remove(place: Place): void {
    this.#places = this.#places.filter((each) => each !== place);
  }

  #count(error: unknown): void {
    ++this.#lost;
    if (!this.#hasWarned) this.#warn(warningOf(error));
    this.#hasWarned = true;
  }
}
