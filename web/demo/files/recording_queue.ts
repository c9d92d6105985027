// Recordings that are transcribed in their order, a few beside each other, each with its own state.

import { Pausing } from './pausing.js';

export type QueueState = 'waiting' | 'listening' | 'done' | 'stopped' | 'failed';

/** A recording in the queue, as it is now. `Text` is what becomes of it: its transcript. */
export interface QueueItem<Text> {
  readonly id: number;
  readonly file: File;
  readonly state: QueueState;
  /** Part done, 0 to 1, during the transcription. */
  readonly part?: number;
  readonly remainingSeconds?: number;
  /** The seconds of sound that are done, and all of them. */
  readonly place?: Place;
  /** What goes on while it is not listened to yet. */
  readonly doing?: string;
  /** Present during the transcription. */
  readonly pausing?: Pausing;
  /** Why it failed, or why it was stopped without Cancel. */
  readonly problem?: unknown;
  /** Present once the transcription has begun. */
  readonly text?: Text;
  /** Its turn goes on with the text that there is. */
  readonly goesOn?: boolean;
}

/** How far a transcription has come, in seconds of sound. */
export interface Place {
  readonly heard: number;
  readonly total: number;
}

export interface ListenCall<Text> {
  readonly onText: (text: Text) => void;
  readonly onPart: (part: number, remainingSeconds?: number, place?: Place) => void;
  /** What goes on while it is not listened to yet; undefined from then on. */
  readonly onDoing: (doing: string | undefined) => void;
  /** Is told what to hold up. */
  readonly pausing: Pausing;
}

interface Callbacks<Text> {
  /** Whether a transcription can begin now: a model is loaded, and no other is on its way. */
  readonly canListen: (item: QueueItem<Text>) => boolean;
  /** How many may be under way at once; at least one is. */
  readonly places: () => number;
  /** Resolves when the transcription is complete; rejects, with any reason, if the signal stopped it. */
  readonly listen: (
    item: QueueItem<Text>,
    signal: AbortSignal,
    call: ListenCall<Text>,
  ) => Promise<void>;
  readonly onChange: () => void;
  /** One can be paused now, was paused, or goes on. */
  readonly onPausing: () => void;
  /** One is over, and none has begun in its place. */
  readonly onEnd: (item: QueueItem<Text>) => void;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

export class RecordingQueue<Text> {
  readonly #calls: Callbacks<Text>;
  #items: Mutable<QueueItem<Text>>[] = [];
  /** By the items' ids. */
  readonly #underWay = new Map<number, AbortController>();
  #lastId = 0;
  /** Called when none is under way any more. */
  readonly #onFree: (() => void)[] = [];

  constructor(calls: Callbacks<Text>) {
    this.#calls = calls;
  }

  get items(): readonly QueueItem<Text>[] {
    return this.#items;
  }

  get isListening(): boolean {
    return this.#underWay.size > 0;
  }

  /** Whether all that are under way are paused. */
  get isResting(): boolean {
    return this.#items.every(({ state, pausing }) => state !== 'listening' || pausing?.isOn);
  }

  /** Resolves when none is under way any more; undefined if none is. */
  get free(): Promise<void> | undefined {
    if (!this.isListening) return undefined;
    return new Promise((resolve) => this.#onFree.push(resolve));
  }

  get waiting(): readonly QueueItem<Text>[] {
    return this.#items.filter(({ state }) => state === 'waiting');
  }

  /** A file that is added twice is two recordings, since other options give another text. With a text it goes on with that. */
  add(files: readonly File[], text?: Text): readonly QueueItem<Text>[] {
    const added = files.map((file) => {
      this.#lastId += 1;
      const goingOn = text !== undefined && { text, goesOn: true };
      return { id: this.#lastId, file, state: 'waiting' as const, ...goingOn };
    });
    this.#items.push(...added);
    this.#calls.onChange();
    this.next();
    return added;
  }

  /** Lists a file that cannot be transcribed, with the reason. */
  refuse(file: File, problem: unknown): void {
    this.#lastId += 1;
    this.#items.push({ id: this.#lastId, file, state: 'failed', problem });
    this.#calls.onChange();
  }

  /** Begins with the next ones, if there is a place for them and something to listen with. */
  next(): void {
    for (;;) {
      const item = this.#items.find((one) => one.state === 'waiting' && this.#calls.canListen(one));
      if (!item) return;
      if (this.#underWay.size >= Math.max(1, this.#calls.places())) return;
      void this.#listen(item);
    }
  }

  /** Stops a recording's transcription, or removes its turn if it waits. */
  cancel(id: number): void {
    const item = this.#find(id);
    const controller = this.#underWay.get(id);
    if (controller) controller.abort();
    else if (item?.state === 'waiting') this.#end(item, 'stopped');
  }

  cancelAll(): void {
    for (const { id } of this.waiting) this.cancel(id);
    for (const controller of this.#underWay.values()) controller.abort();
  }

  /** Holds those under way up, or lets them go on. */
  pause(ids: readonly number[], isOn: boolean): void {
    for (const id of ids) this.#find(id)?.pausing?.turn(isOn);
  }

  /** Stops all waiting recordings with this problem, because their model did not load. */
  giveUp(problem: unknown): readonly QueueItem<Text>[] {
    const given = this.#items.filter(({ state }) => state === 'waiting');
    for (const item of given) {
      item.state = 'stopped';
      item.problem = problem;
    }
    this.#calls.onChange();
    return given;
  }

  /** Listens to one once more, after those that wait; from its beginning, or where its text ends. */
  again(id: number, goesOn = false): void {
    const item = this.#find(id);
    if (!item || item.state === 'waiting' || item.state === 'listening') return;
    item.state = 'waiting';
    delete item.problem;
    item.goesOn = goesOn;
    this.#items = [...this.#items.filter((one) => one !== item), item];
    this.#calls.onChange();
    this.next();
  }

  /** Takes it from the list; its transcript, if any, stays wherever it is kept. */
  remove(id: number): void {
    this.#underWay.get(id)?.abort();
    this.#items = this.#items.filter((item) => item.id !== id);
    this.#calls.onChange();
  }

  #find(id: number): Mutable<QueueItem<Text>> | undefined {
    return this.#items.find((item) => item.id === id);
  }

  async #listen(item: Mutable<QueueItem<Text>>): Promise<void> {
    const controller = new AbortController();
    this.#underWay.set(item.id, controller);
    item.state = 'listening';
    item.part = 0;
    const pausing = new Pausing(() => this.#calls.onPausing());
    item.pausing = pausing;
    this.#calls.onChange();
    try {
      await this.#calls.listen(item, controller.signal, {
        onText: (text) => {
          item.text = text;
          this.#calls.onChange();
        },
        pausing,
        onPart: (part, remainingSeconds, place) => {
          if (controller.signal.aborted) return;
          item.part = part;
          if (remainingSeconds === undefined) delete item.remainingSeconds;
          else item.remainingSeconds = remainingSeconds;
          if (place) item.place = place;
          this.#calls.onChange();
        },
        onDoing: (doing) => {
          if (doing === undefined) delete item.doing;
          else item.doing = doing;
        },
      });
      this.#end(item, 'done');
    } catch (error) {
      const { aborted: isStopped } = controller.signal;
      if (!isStopped) item.problem = error;
      this.#end(item, isStopped ? 'stopped' : 'failed');
    }
  }

  #end(item: Mutable<QueueItem<Text>>, state: QueueState): void {
    this.#underWay.delete(item.id);
    item.state = state;
    delete item.part;
    delete item.remainingSeconds;
    delete item.place;
    delete item.pausing;
    this.#calls.onChange();
    this.#calls.onEnd(item);
    this.next();
    if (this.isListening) return;
    for (const resolve of this.#onFree.splice(0)) resolve();
  }
}
