// Recordings on their way through the page: queued, transcribed one after the other, shown, saved.
import type { Work } from '../shell/work.js';
import { strings } from '../strings.js';
import { QueueView } from './queue_view.js';
import { RecordingQueue, type ListenCall, type QueueItem } from './recording_queue.js';
import { SaveAll, type SavedText } from './save_all.js';

interface Callbacks<Text extends SavedText> {
  /** Whether there is something to listen with. */
  readonly hasModel: () => boolean;
  /** Whether that is on its way. */
  readonly isLoading: () => boolean;
  /** Something joined or left what waits for the model. */
  readonly onWaiting: () => void;
  /** Returns the sentence that is shown when it is done. */
  readonly listen: (file: File, signal: AbortSignal, call: ListenCall<Text>) => Promise<string>;
  /** Shows the text of the recording that is being transcribed, or that the user chose. */
  readonly show: (text: Text) => void;
  /** Whether a person works with what is shown, so that it may not be taken away. */
  readonly isInUse: () => boolean;
}

export class QueueDesk<Text extends SavedText> {
  readonly #work: Work;
  readonly #calls: Callbacks<Text>;
  readonly #queue: RecordingQueue<Text>;
  readonly #view: QueueView;
  readonly #saving = new SaveAll();
  #shown: number | undefined;
  /** Whether to show the recording that is being transcribed; false once the user has chosen another one. */
  #follows = true;
  /** The person has just asked for what begins now, and wants to see it. */
  #isAsked = false;
  /** It has begun unseen, since what was shown is in use. */
  #unseen: number | undefined;
  #doneText = '';
  #listening: AbortSignal | undefined;

  constructor(work: Work, calls: Callbacks<Text>) {
    this.#work = work;
    this.#calls = calls;
    this.#queue = new RecordingQueue<Text>({
      canListen: () => calls.hasModel() && !calls.isLoading(),
      listen: (item, signal, call) => this.#listen(item, signal, call),
      onChange: () => this.#update(),
      onEnd: (item) => this.#onEnd(item),
    });
    this.#view = new QueueView({
      onShow: (id) => this.#choose(id),
      onCancel: (id) => this.#queue.cancel(id),
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

  add(files: readonly File[]): void {
    if (files.length === 0) return;
    const { items, isListening, waiting } = this.#queue;
    const isFirst = !isListening && waiting.length === 0;
    if (isFirst) {
      // A new batch begins; the transcripts of earlier recordings are in the history.
      const held = items.filter(({ state, text }) => state === 'stopped' && !text);
      for (const item of [...items]) if (!held.includes(item)) this.#queue.remove(item.id);
      this.#follows = true;
    }
    this.#asked(isFirst, () => this.#queue.add(files));
    if (this.#queue.isListening) this.#showWork();
    else if (this.#calls.isLoading()) this.#calls.onWaiting();
    else this.#work.status.idle(strings.models.noneToListen);
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

  /** Something else is shown; the transcription goes on unseen. */
  leave(): void {
    this.#shown = undefined;
    this.#follows = false;
    this.#update();
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
    const work = this.#work.begin();
    this.#listening = work;
    // Cancel in the status line, or a new model, stops this transcription. Once it has ended, other work must not stop it, since the
    // recording may be transcribed again.
    let isOver = false;
    const stop = (): void => {
      if (!isOver) this.#queue.cancel(item.id);
    };
    work.addEventListener('abort', stop, { once: true });
    this.#doneText = '';
    this.#unseen = undefined;
    if (this.#follows) this.#follow(item.id);
    this.#showWork();
    try {
      this.#doneText = await this.#calls.listen(item.file, signal, {
        onText: (text) => {
          call.onText(text);
          if (this.#shown === item.id) this.#calls.show(text);
          else this.#showWork();
        },
        onPart: (part, remainingSeconds) => {
          call.onPart(part, remainingSeconds);
          if (!signal.aborted) this.#work.status.progress(part, remainingSeconds);
        },
      });
    } finally {
      isOver = true;
    }
  }

  /** What begins because of this is what the person wants to see. */
  #asked(isAsked: boolean, begin: () => unknown): void {
    this.#isAsked = isAsked;
    begin();
    this.#isAsked = false;
  }

  /** Shows what begins, or offers to where what is shown is in use. */
  #follow(id: number): void {
    if (this.#isAsked || !this.#calls.isInUse()) {
      this.#shown = id;
      return;
    }
    this.#unseen = id;
    // If the recording was transcribed before, its old text stays.
    if (this.#shown === id) this.#shown = undefined;
  }

  #choose(id: number): void {
    const item = this.#queue.items.find((one) => one.id === id);
    if (!item?.text) return;
    this.#shown = id;
    this.#follows = item.state === 'listening';
    this.#unseen = undefined;
    this.#calls.show(item.text);
    this.#update();
    this.#showWork();
  }

  #showWork(): void {
    const current = this.#queue.items.find(({ state }) => state === 'listening');
    if (!current || !this.#listening || !this.#work.isCurrent(this.#listening)) return;
    const [next, ...others] = this.waiting;
    const { queue, status } = strings;
    const waits = others.length > 0 ? queue.more(others.length + 1) : next && queue.next(next);
    const { part, remainingSeconds } = current;
    const { id, file, text } = current;
    const isUnseen = id === this.#unseen && text !== undefined;
    const doing = isUnseen ? queue.begun(file.name) : status.listening(file.name);
    this.#work.show(`${doing}${waits ?? ''}`, isUnseen ? () => this.#choose(id) : undefined);
    if (part) this.#work.status.progress(part, remainingSeconds);
  }

  #onEnd(item: QueueItem<Text>): void {
    const { problem, state, file } = item;
    const isCurrent = this.#listening !== undefined && this.#work.isCurrent(this.#listening);
    if (state === 'stopped' && !item.text) {
      // It had not begun.
      this.#calls.onWaiting();
      this.#showWork();
      return;
    }
    if (!isCurrent) return;
    const all = this.#queue.items;
    const done = all.filter((one) => one.state === 'done').length;
    const isAlone = all.length === 1;
    if (state === 'failed' && isAlone) {
      this.#work.errors.show(strings.transcript.notHeard(file.name), problem);
    }
    const own =
      state === 'done'
        ? this.#doneText
        : state === 'stopped'
          ? strings.status.stopped
          : strings.status.readyAgain;
    const { allDone, someDone } = strings.queue;
    const together = done === all.length ? allDone(done) : someDone(done, all.length);
    this.#work.status.idle(isAlone ? own : together);
  }

  #update(): void {
    const { items } = this.#queue;
    const lacksModel = this.#calls.isLoading() || !this.#calls.hasModel();
    this.#view.update({ items, shown: this.#shown, lacksModel });
    this.#saving.offer(items.flatMap(({ text }) => text ?? []));
  }
}
