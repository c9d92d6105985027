// Recordings on their way through the page: queued, transcribed in their order, shown, saved.
import { DoneNotice } from '../shell/done_notice.js';
import type { Work } from '../shell/work.js';
import { strings } from '../strings.js';
import { pausedText, QueueView } from './queue_view.js';
import { RecordingQueue, type ListenCall, type QueueItem } from './recording_queue.js';
import { SaveAll, type SavedText } from './save_all.js';

interface Callbacks<Text extends SavedText> {
  /** Whether there is something to listen to this with. */
  readonly hasModel: (file: File) => boolean;
  /** Whether that is on its way. */
  readonly isLoading: () => boolean;
  /** The name of a model that is loaded when those under way are done. */
  readonly comes: () => string | undefined;
  /** How many recordings can be listened to beside each other. */
  readonly places: () => number;
  /** These would have to be chosen again after a reload: nothing of them is kept. */
  readonly onUnheard: (files: readonly File[]) => void;
  /** Something joined or left what waits for the model. */
  readonly onWaiting: () => void;
  /** Returns the sentence that is shown when it is done. */
  readonly listen: (turn: {
    readonly file: File;
    /** What it goes on with. */
    readonly earlier: Text | undefined;
    readonly signal: AbortSignal;
    readonly call: ListenCall<Text>;
  }) => Promise<string>;
  /** Shows the text of the recording that is being transcribed, or that the user chose. */
  readonly show: (text: Text) => unknown;
  /** One that is shown has failed: shows what was shown before, if it has no words. Returns whether it was so. */
  readonly takeBack: (text: Text) => boolean;
  /** Whether a person works with what is shown, so that it may not be taken away. */
  readonly isInUse: () => boolean;
}

export class QueueDesk<Text extends SavedText> {
  readonly #work: Work;
  readonly #calls: Callbacks<Text>;
  readonly #queue: RecordingQueue<Text>;
  readonly #view: QueueView;
  readonly #saving = new SaveAll();
  readonly #notice = new DoneNotice();
  #shown: number | undefined;
  /** Whether to show the first of those that are being transcribed; false once the user has chosen another one. */
  #follows = true;
  /** The person has just asked for what begins now, and wants to see it. */
  #isAsked = false;
  /** It has begun unseen, since what was shown is in use. */
  #unseen: number | undefined;
  /** By the items' ids. */
  readonly #doneTexts = new Map<number, string>();
  /** The work that those under way share, until other work takes its place. */
  #listening: AbortSignal | undefined;
  /** The first of those under way, which the status line is about. */
  #first: number | undefined;

  constructor(work: Work, calls: Callbacks<Text>) {
    this.#work = work;
    this.#calls = calls;
    this.#queue = new RecordingQueue<Text>({
      canListen: ({ file }) => calls.hasModel(file) && !calls.isLoading(),
      places: calls.places,
      listen: (item, signal, call) => this.#listen(item, signal, call),
      onChange: () => this.#update(),
      onPausing: () => {
        this.#update();
        this.#showWork();
      },
      onEnd: (item) => this.#onEnd(item),
    });
    this.#view = new QueueView({
      onShow: (id) => this.#choose(id),
      onCancel: (id) => this.#queue.cancel(id),
      onPause: (ids, isOn) => this.#queue.pause(ids, isOn),
      onAgain: (id) => this.#asked(true, () => this.#queue.again(id)),
      onRemove: (id) => this.#queue.remove(id),
      onStopAll: () => this.#queue.cancelAll(),
    });
  }

  /** Names of those that wait. */
  get waiting(): readonly string[] {
    return this.#queue.waiting.map(({ file }) => file.name);
  }

  get isListening(): boolean {
    return this.#queue.isListening;
  }

  add(files: readonly File[], text?: Text): void {
    if (files.length === 0) return;
    const { items, isListening, waiting } = this.#queue;
    const isFirst = !isListening && waiting.length === 0;
    if (isFirst) {
      // A new batch begins; the transcripts of earlier recordings are in the history.
      const held = items.filter(({ state, text }) => state === 'stopped' && !text);
      for (const item of [...items]) if (!held.includes(item)) this.#queue.remove(item.id);
      this.#follows = true;
    }
    this.#asked(isFirst, () => this.#queue.add(files, text));
    if (this.#queue.isListening) this.#showWork();
    else this.#calls.onWaiting();
  }

  /** Files that came with recordings and are none. */
  refuse(files: readonly { readonly file: File; readonly problem: unknown }[]): void {
    for (const { file, problem } of files) this.#queue.refuse(file, problem);
  }

  /** Listens once more to what is shown. */
  again(recording: File): void {
    const item = this.#queue.items.find(({ id }) => id === this.#shown);
    if (item?.file !== recording) {
      this.add([recording]);
      return;
    }
    this.#follows = true;
    this.#asked(true, () => this.#queue.again(item.id));
  }

  /** Goes on with what is shown, which ended early. */
  goOn(recording: File, text: Text): void {
    const item = this.#queue.items.find((one) => one.text === text);
    if (!item) {
      this.add([recording], text);
      return;
    }
    this.#follows = true;
    this.#asked(true, () => this.#queue.again(item.id, true));
  }

  /** A transcript may have another name. */
  showNames(): void {
    this.#update();
  }

  /** Something else is shown; the transcription goes on unseen. */
  leave(): void {
    this.#shown = undefined;
    this.#follows = false;
    this.#update();
  }

  /** Stops those whose text is one of these. */
  stop(isMeant: (text: Text) => boolean): void {
    for (const { id, text } of this.#queue.items) if (text && isMeant(text)) this.#queue.cancel(id);
  }

  stopAll(): void {
    this.#queue.cancelAll();
  }

  /** Resolves when nothing is under way any more; undefined if that is so already. */
  get free(): Promise<void> | undefined {
    return this.#queue.free;
  }

  /** A model was chosen, and comes when those under way are done. */
  showComing(): void {
    this.#update();
    this.#showWork();
  }

  /** A model is there: goes on with those that wait. */
  next(): void {
    this.#queue.next();
    this.#update();
  }

  /** Their model does not come. Returns a remark for the status line. */
  giveUp(): string {
    const given = this.#queue.giveUp(new Error(strings.queue.noModel));
    const [first] = given;
    if (!first) return '';
    return given.length === 1
      ? ` ${strings.models.notTranscribed(first.file.name)}`
      : strings.queue.notTranscribed(given.length);
  }

  async #listen(item: QueueItem<Text>, signal: AbortSignal, call: ListenCall<Text>): Promise<void> {
    const { id } = item;
    const work = this.#share();
    // New work, of a model say, stops this transcription. Once it has ended, other work must not stop it, since the recording may be
    // transcribed again.
    let isOver = false;
    const stop = (): void => {
      if (!isOver) this.#queue.cancel(id);
    };
    work.addEventListener('abort', stop, { once: true });
    // If the recording was transcribed before, its old text stays where it is in use.
    if (this.#shown === id && !item.goesOn && !this.#mayTake) this.#shown = undefined;
    this.#lead();
    this.#showWork();
    try {
      const earlier = item.goesOn ? item.text : undefined;
      const listenCall: ListenCall<Text> = {
        pausing: call.pausing,
        onText: (text) => {
          call.onText(text);
          if (this.#shown === id) this.#calls.show(text);
          else this.#showWork();
        },
        onPart: (part, remainingSeconds, place) => {
          call.onPart(part, remainingSeconds, place);
          if (signal.aborted || this.#first !== id) return;
          if (call.pausing.isOn) this.#showWork();
          else this.#work.status.progress(part, remainingSeconds);
        },
        onDoing: (doing) => {
          call.onDoing(doing);
          if (!signal.aborted) this.#showWork();
        },
      };
      const doneText = await this.#calls.listen({
        file: item.file,
        earlier,
        signal,
        call: listenCall,
      });
      this.#doneTexts.set(id, doneText);
    } finally {
      isOver = true;
    }
  }

  /** The work of those that are under way, of which this is one. */
  #share(): AbortSignal {
    const shared = this.#listening;
    const isShared = this.#first !== undefined && shared && this.#work.isCurrent(shared);
    if (isShared && !shared.aborted) return shared;
    this.#listening = this.#work.begin();
    return this.#listening;
  }

  get #leading(): QueueItem<Text> | undefined {
    return this.#queue.items.find(({ state }) => state === 'listening');
  }

  /** Another one may be the first of those under way now. Returns whether it is. */
  #lead(): boolean {
    const id = this.#leading?.id;
    if (this.#first === id) return false;
    this.#first = id;
    if (id === undefined) return false;
    this.#unseen = undefined;
    if (this.#shown === id) this.#follows = true;
    else if (this.#follows) this.#follow(id);
    return true;
  }

  /** What begins because of this is what the person wants to see. */
  #asked(isAsked: boolean, begin: () => unknown): void {
    this.#isAsked = isAsked;
    begin();
    this.#isAsked = false;
  }

  /** Whether what is shown may make room. */
  get #mayTake(): boolean {
    return this.#isAsked || !this.#calls.isInUse();
  }

  /** Shows the first of those under way, or offers to where what is shown is in use. */
  #follow(id: number): void {
    if (this.#mayTake) this.#shown = id;
    else this.#unseen = id;
  }

  /** What became the first of those under way has text already. */
  #showFirst(): void {
    const { id, text } = this.#leading ?? {};
    if (text && this.#shown === id) this.#calls.show(text);
  }

  #choose(id: number): void {
    const item = this.#queue.items.find((one) => one.id === id);
    if (!item?.text) return;
    this.#shown = id;
    this.#follows = id === this.#first;
    this.#unseen = undefined;
    this.#calls.show(item.text);
    this.#update();
    this.#showWork();
  }

  #showWork(): void {
    const current = this.#leading;
    if (!current || !this.#listening || !this.#work.isCurrent(this.#listening)) return;
    const [next, ...others] = this.#queue.items.filter(
      ({ id, state }) => id !== current.id && (state === 'waiting' || state === 'listening'),
    );
    const { queue, status } = strings;
    const model = this.#calls.comes();
    const follows = model === undefined ? next && queue.next(next.file.name) : queue.then(model);
    const waits =
      model === undefined && others.length > 0 ? queue.more(others.length + 1) : follows;
    const { part, remainingSeconds } = current;
    const { id, file, text, pausing } = current;
    const isUnseen = id === this.#unseen && text !== undefined;
    const doing = isUnseen
      ? queue.begun(file.name)
      : pausing?.isOn
        ? pausedText(current, this.#queue.items.length > 1)
        : (current.doing ?? status.listening(file.name));
    this.#work.show(`${doing}${waits ?? ''}`, {
      onCancel: () => this.#queue.cancel(id),
      onShow: isUnseen ? () => this.#choose(id) : undefined,
      title: file.name,
      pause: pausing?.isPossible
        ? { isOn: pausing.isOn, onPress: () => this.#queue.pause([id], !pausing.isOn) }
        : undefined,
      isResting: this.#queue.isResting,
    });
    this.#notice.begin();
    if (part || pausing?.isOn) {
      this.#work.status.progress(part ?? 0, pausing?.isOn ? undefined : remainingSeconds);
    }
  }

  #onEnd(item: QueueItem<Text>): void {
    const { id, problem, state, file } = item;
    const doneText = this.#doneTexts.get(id) ?? '';
    this.#doneTexts.delete(id);
    const isTakenBack =
      state === 'failed' && this.#shown === id && item.text && this.#calls.takeBack(item.text);
    if (isTakenBack) this.#shown = undefined;
    if (this.#lead()) this.#showFirst();
    const isCurrent = this.#listening !== undefined && this.#work.isCurrent(this.#listening);
    if (state === 'stopped' && !item.text) {
      // It had not begun.
      this.#calls.onWaiting();
      this.#showWork();
      return;
    }
    if (isCurrent && this.#goesOn) {
      this.#showWork();
      return;
    }
    const isAlone = this.#queue.items.length === 1;
    const { transcript, queue } = strings;
    const told = state === 'done' ? queue.oneDone(file.name) : transcript.notHeard(file.name);
    const all = isAlone ? told : this.#sumUp(item, doneText);
    this.#notice.end(state === 'stopped' ? undefined : all);
    if (!isCurrent) return;
    if (state === 'failed' && isAlone) this.#work.errors.show(told, problem);
    this.#work.status.idle(this.#sumUp(item, doneText));
  }

  /** Whether one is under way, or the next begins at once. */
  get #goesOn(): boolean {
    const { hasModel, isLoading } = this.#calls;
    if (this.#queue.isListening) return true;
    return !isLoading() && this.#queue.waiting.some(({ file }) => hasModel(file));
  }

  /** The sentence for the end, with this one as the last. */
  #sumUp({ state }: QueueItem<Text>, doneText: string): string {
    const all = this.#queue.items;
    const done = all.filter((one) => one.state === 'done').length;
    const own =
      state === 'done'
        ? doneText
        : state === 'stopped'
          ? strings.status.stopped
          : strings.status.readyAgain;
    const { allDone, someDone } = strings.queue;
    const together = done === all.length ? allDone(done) : someDone(done, all.length);
    return all.length === 1 ? own : together;
  }

  /** Waits, has just begun, or could not begin. */
  #isUnheard({ state, text, problem }: QueueItem<Text>): boolean {
    const isHeld = state === 'stopped' && problem !== undefined;
    const isOnItsWay = state === 'waiting' || state === 'listening' || isHeld;
    return isOnItsWay && (text?.isEmpty ?? true);
  }

  #update(): void {
    const { items } = this.#queue;
    const unheard = items.filter((item) => this.#isUnheard(item));
    this.#calls.onUnheard(unheard.map(({ file }) => file));
    const { isLoading, hasModel } = this.#calls;
    const lacksModel = isLoading() || this.#queue.waiting.some(({ file }) => !hasModel(file));
    this.#view.update({ items, shown: this.#shown, first: this.#leading?.id, lacksModel });
    this.#saving.offer(items.flatMap(({ text }) => text ?? []));
  }
}
