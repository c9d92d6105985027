// Live captions on the page: begins sessions, follows the model in use, and hands over the text.
import type { AnyLiveOptions } from '../../src/index.js';
import { microphone, tabAudio } from '../../page/live.js';
import type { ListenSource, ListenStatus, StreamingModel } from '../../page/live.js';
import type { Microphones } from '../recording/microphones.js';
import { duration } from '../shell/format.js';
import { strings } from '../strings.js';
import type { Change } from './caption_state.js';
import {
  explanationOf,
  explanationOfError,
  type Explanation,
  type SoundChoice,
} from './explain.js';
import { sessionName, type HeardLive } from './heard_live.js';
import { InterruptedSessions } from './interrupted_sessions.js';
import { Journal } from './journal.js';
import { LiveSession } from './live_session.js';
import { transcriptOf } from './live_transcript.js';
import { LiveView } from './live_view.js';
import { newSessionId, SessionLock } from './session_lock.js';
import { pageStore } from '../shell/text_store.js';
import { latelyForeign } from '../transcript/perhaps_foreign.js';

/** Seconds without words after which it says that it listens. */
const silence = 3;

/** A model that is more seconds behind may still have words to say. */
const mostLag = 1.5;

/** Seconds of sound that may wait for a model: all of it is in memory until then. */
const mostWaiting = 600;

/** Sentences on why no model writes along what waited for one, and on what becomes of the sound. */
interface Unheard {
  readonly why: string;
  readonly kept: string;
}

/** The model in use. */
export interface LiveModel {
  readonly name: string;
  /** Whether it transcribes live audio. */
  readonly streams: boolean;
  readonly knowsEnglishAlone: boolean;
  readonly model: StreamingModel;
  readonly options: () => AnyLiveOptions;
  /** Fetches what the options need; undefined if all is here. Rejects with the signal's reason alone. */
  readonly prepare: (signal: AbortSignal) => Promise<void> | undefined;
}

export interface LiveCalls {
  /** Whether the model is at work on a recording. */
  readonly isModelBusy: () => boolean;
  /** The model that is on its way, without a name until a person has chosen it. */
  readonly awaitedModel: () => { readonly name?: string } | undefined;
  /** A session begins: whatever else sounds should be silent. */
  readonly onStart: () => void;
  /** Shows and stores the transcript; resolves when a reload cannot lose it any more. */
  readonly onHeard: (heard: HeardLive) => Promise<void>;
  /** What is said may not be English, which this model knows alone: others are asked for. */
  readonly onOtherLanguages: (englishModel: string) => void;
  /** No model came for this sound. */
  readonly onUnheard: (sound: File) => void;
  /** The session is over, and the model is free. */
  readonly onOver: () => void;
}

/** A session that goes on. */
interface Running {
  readonly session: LiveSession;
  /** The microphone that was chosen, if one was. */
  readonly deviceId: string | undefined;
  readonly choice: SoundChoice;
  readonly began: number;
  /** Whether it began without a model. */
  readonly hasWaited: boolean;
}

/** Start was pressed before there was a model. */
interface Awaiting {
  readonly kind: 'awaiting';
  /** What is said waits for it; a recording that could be played begins with it. */
  running?: Running;
  /** The model is there, and what it needs is fetched, unless this is aborted. */
  preparing?: AbortController;
  /** No model writes along what waited for one. */
  unheard?: Unheard;
}

type State =
  | { readonly kind: 'idle' }
  /** A session begins when what it needs has been fetched, unless this is aborted. */
  | { readonly kind: 'preparing'; readonly preparing: AbortController }
  | Awaiting
  | { readonly kind: 'running'; readonly running: Running };

export class LiveCaptions {
  readonly #calls: LiveCalls;
  readonly #microphones: Microphones;
  readonly #view: LiveView;
  #model: LiveModel | undefined;
  #state: State = { kind: 'idle' };
  /** Resolves when the last session is over, and what was said has been kept. */
  #over = Promise.resolve();
  /** The second of the sound at which the text changed last. */
  #lastHeard = 0;
  /** The second from which on the model in use writes. */
  #writesFrom = 0;
  #file: File | undefined;
  #address = '';

  constructor(microphones: Microphones, calls: LiveCalls) {
    this.#microphones = microphones;
    this.#calls = calls;
    this.#view = new LiveView({
      onToggle: () => (this.#isIdle ? this.start() : this.stop()),
      onSource: (choice) => {
        this.#view.showPlayer(choice === 'file');
        this.#showReadiness();
      },
      onFile: (file) => this.#useFile(file),
      onOtherLanguages: () => calls.onOtherLanguages(this.#englishModel ?? ''),
    });
    this.#view.player.addEventListener('ended', () => this.#onFileEnded());
    for (const name of ['pagehide', 'visibilitychange'] as const) {
      // The last moment that browsers grant.
      addEventListener(name, () => this.#running?.session.save());
    }
    void new InterruptedSessions(pageStore, {
      onOpen: (heard) => calls.onHeard(heard),
      onDamaged: () => {
        this.#view.reveal();
        this.#view.say('note', strings.live.damaged);
      },
    }).offer();
  }

  /** Whether it takes the model, or will when that is there. */
  get isRunning(): boolean {
    return this.#state.kind === 'running' || this.#state.kind === 'awaiting';
  }

  get #isIdle(): boolean {
    return this.#state.kind === 'idle';
  }

  get #running(): Running | undefined {
    return 'running' in this.#state ? this.#state.running : undefined;
  }

  get #awaiting(): Awaiting | undefined {
    return this.#state.kind === 'awaiting' ? this.#state : undefined;
  }

  /** The model goes; await it before the model is disposed. The sound waits for useModel(). */
  async leaveModel(): Promise<void> {
    this.#model = undefined;
    await this.#running?.session.leaveModel();
  }

  /** This one is in use from now on; without one, or with one that does not stream, a session ends. */
  useModel(model: LiveModel | undefined): void {
    this.#model = model;
    const { session } = this.#running ?? {};
    if (this.#awaiting) {
      if (model) this.#arrive(this.#awaiting, model);
    } else if (session && model?.streams) {
      session.followModel(model.model, model.options());
      this.#writesFrom = session.time;
      this.#view.showForeign(undefined);
      this.#view.say('note', strings.live.follows(model.name));
    } else {
      void session?.stop();
      this.#showReadiness();
    }
  }

  /** The model that is awaited does not come. */
  giveUpWaiting(): void {
    if (!this.#awaiting) return;
    const { notLoaded, keptForLater } = strings.live;
    this.#endUnheard(this.#awaiting, { why: notLoaded, kept: keptForLater });
  }

  /** The page rests: what was on its way is there, was another model, or did not come. */
  onRest(): void {
    if (!this.#awaiting) {
      // A session that ended meanwhile could not say yet that there is no model.
      if (!this.#model && this.#view.isSilent) this.#showReadiness();
      return;
    }
    if (this.#calls.awaitedModel()) this.#showAwaiting();
    else this.giveUpWaiting();
  }

  start(): void {
    if (!this.#isIdle || !this.#isReady) return;
    const model = this.#model;
    if (!model) {
      this.#await();
      return;
    }
    const preparing = new AbortController();
    const prepared = model.prepare(preparing.signal);
    if (!prepared) {
      this.#begin(model);
      return;
    }
    this.#state = { kind: 'preparing', preparing };
    this.#view.show('starting');
    this.#view.say('note', strings.speakers.fetching);
    void prepared
      .then(
        () => true,
        () => false,
      )
      .then((isReady) => {
        this.#state = { kind: 'idle' };
        this.#view.show('off');
        // Another model may have come meanwhile.
        if (isReady && this.#isReady && this.#model) this.#begin(this.#model);
        else this.#showReadiness();
      });
  }

  /** The browser opens a microphone or a tab in answer to a click alone: it is listened to from now on. A recording can wait. */
  #await(): void {
    this.#state = { kind: 'awaiting' };
    if (this.#view.choice !== 'file') {
      this.#begin(undefined);
      return;
    }
    this.#view.show('starting');
    this.#showAwaiting();
  }

  /** The model that was awaited is there. */
  #arrive(awaiting: Awaiting, model: LiveModel): void {
    const { running } = awaiting;
    const { doesNotStream, keptAsRecording } = strings.live;
    if (!running) {
      this.stop();
      this.start();
      return;
    }
    if (!model.streams) {
      this.#endUnheard(awaiting, { why: doesNotStream(model.name), kept: keptAsRecording });
      return;
    }
    const goOn = (): void => {
      if (this.#model !== model || this.#state !== awaiting) return;
      try {
        running.session.followModel(model.model, model.options());
      } catch (error) {
        this.#endUnheard(awaiting, { why: failureOf(error), kept: keptAsRecording });
        return;
      }
      this.#state = { kind: 'running', running };
      this.#onStatus(running.choice, running.session.status);
    };
    const preparing = new AbortController();
    const prepared = model.prepare(preparing.signal);
    if (prepared) {
      awaiting.preparing = preparing;
      const done = (): void => {
        if (awaiting.preparing === preparing) delete awaiting.preparing;
        if (!preparing.signal.aborted) goOn();
      };
      void prepared.then(done, done);
    } else goOn();
  }

  /** The first reason counts: a page without a model to wait for gives up once more. */
  #endUnheard(awaiting: Awaiting, unheard: Unheard): void {
    awaiting.unheard ??= unheard;
    this.stop();
  }

  #showAwaiting(): void {
    const { name } = this.#calls.awaitedModel() ?? {};
    const { waitsFor, waitsForChoice, speakAlready } = strings.live;
    const waits = name === undefined ? waitsForChoice : waitsFor(name);
    this.#view.say('note', this.#running ? `${waits} ${speakAlready}` : waits);
  }

  #begin(model: LiveModel | undefined): void {
    const choice = this.#view.choice;
    const began = Date.now();
    const id = newSessionId(began);
    this.#view.rest(false);
    this.#view.captions.clear();
    this.#view.log.clear();
    for (const which of ['note', 'copy_note', 'sound_note'] as const) {
      this.#view.say(which, undefined);
    }
    const name = model?.name ?? this.#calls.awaitedModel()?.name ?? '';
    const head = { id, began, model: name, source: choice };
    const journal = new Journal(pageStore, head, () => {
      this.#view.say('copy_note', strings.live.noCopy);
    });
    this.#calls.onStart();
    let session: LiveSession;
    try {
      session = new LiveSession(
        model?.model,
        this.#source(choice),
        model?.options() ?? {},
        journal,
        {
          onChange: (change) => this.#onChange(change),
          onStatus: (status) => this.#onStatus(choice, status),
          onLevel: (level, lag) => this.#onLevel(level, lag),
        },
      );
    } catch (error) {
      this.#state = { kind: 'idle' };
      this.#explainError(choice, error);
      return;
    }
    const { deviceId } = this.#microphones;
    const running: Running = { session, deviceId, choice, began, hasWaited: !model };
    if (this.#awaiting) this.#awaiting.running = running;
    else this.#state = { kind: 'running', running };
    this.#lastHeard = 0;
    this.#writesFrom = 0;
    this.#view.show('starting');
    this.#onStatus(choice, { state: 'starting' });
    if (choice === 'microphone') this.#view.say('sound_note', this.#microphones.absence);
    if (choice === 'file') void this.#view.player.play().catch(() => undefined);
    this.#over = this.#follow(running, journal, new SessionLock(id));
  }

  stop(): void {
    if ('preparing' in this.#state) this.#state.preparing.abort();
    if (!this.#running) {
      this.#stopAwaiting();
      return;
    }
    this.#view.show('stopping');
    void this.#running.session.stop();
  }

  /** Stops it; resolves when nothing of it is written any more. */
  async end(): Promise<void> {
    this.stop();
    await this.#over;
  }

  /** Nothing was begun yet. */
  #stopAwaiting(): void {
    const awaiting = this.#awaiting;
    if (!awaiting) return;
    this.#state = { kind: 'idle' };
    this.#view.show('off');
    if (awaiting.unheard) this.#view.say('note', awaiting.unheard.why);
    else this.#showReadiness();
    this.#calls.onOver();
  }

  async #follow(
    { session, deviceId, choice, began, hasWaited }: Running,
    journal: Journal,
    lock: SessionLock,
  ): Promise<void> {
    const status = await session.ended;
    this.#view.player.pause();
    this.#view.closeOverlay();
    const transcript = transcriptOf(session.state.entries, session.time);
    const name = sessionName(began);
    const englishModel = this.#englishModel;
    const sound = session.sound.file(`${name}.wav`);
    let end = status;
    try {
      if (transcript.segments.length > 0) {
        const note = strings.live.note(duration(transcript.duration));
        this.#view.rest(true);
        await this.#calls.onHeard({
          ...{ name, began, transcript, note },
          ...(sound && { sound }),
          ...(englishModel !== undefined && { englishModel }),
        });
      }
      journal.forget();
    } catch (error) {
      // The journal still has the text, and offers it after a reload.
      end = { state: 'ended', reason: 'failed', error };
    }
    const awaiting = this.#awaiting;
    this.#state = { kind: 'idle' };
    lock.release();
    this.#view.show('off');
    this.#view.captions.clear();
    this.#view.log.clear();
    this.#showEnd(choice, end, transcript.segments.length === 0);
    if (choice === 'microphone' && deviceId !== undefined && isGone(end)) {
      this.#microphones.miss();
      this.start();
      if (this.isRunning) return;
    }
    const hasFailed = hasWaited && end.error !== undefined && transcript.segments.length === 0;
    if (awaiting || hasFailed) this.#showUnheard(end, sound, awaiting?.unheard);
    this.#calls.onOver();
  }

  /** No model has heard it. A person who cancels does not want it. */
  #showUnheard(
    { reason, error }: ListenStatus,
    sound: File | undefined,
    unheard: Unheard | undefined,
  ): void {
    const { why, kept = strings.live.keptAsRecording } = unheard ?? {};
    const isKept = sound !== undefined && (why !== undefined || reason !== 'closed');
    if (why !== undefined) this.#view.say('note', isKept ? `${why} ${kept}` : why);
    else if (reason === 'closed') this.#showReadiness();
    else if (isKept && error !== undefined) this.#view.say('sound_note', kept);
    if (isKept) this.#calls.onUnheard(sound);
  }

  #showEnd(choice: SoundChoice, status: ListenStatus, isEmpty: boolean): void {
    this.#view.say('copy_note', undefined);
    this.#view.say('sound_note', undefined);
    if (status.error !== undefined) this.#explainError(choice, status.error);
    else if (status.reason === 'closed' && this.#obstacle) this.#showReadiness();
    else {
      const explanation = explanationOf(choice, status);
      const said = explanation && strings.live.explanations[explanation];
      this.#view.say('note', said ?? (isEmpty ? strings.live.nothingSaid : undefined));
    }
    this.#view.showIdle(true);
  }

  #onChange(change: Change): void {
    const { captions, log } = this.#view;
    if (change.kind === 'shown' || change.kind === 'kept') captions.show(change.utterance);
    if (change.kind === 'kept') log.add(change.utterance);
    if (change.kind === 'gap') log.add(change.gap);
    if (change.kind === 'removed') captions.remove(change.key);
    if (change.kind === 'revised') {
      captions.revise(change);
      log.revise(change);
    }
    if (change.kind === 'language') this.#view.showLanguage(change.language);
    if (change.kind === 'kept' || change.kind === 'revised') this.#showForeign();
    if (!captions.isEmpty) this.#view.showIdle(false);
    this.#lastHeard = this.#running?.session.time ?? 0;
    this.#view.showListening(false);
  }

  /** The model in use, where it knows English alone. */
  get #englishModel(): string | undefined {
    return this.#model?.knowsEnglishAlone ? this.#model.name : undefined;
  }

  #showForeign(): void {
    const { session } = this.#running ?? {};
    const englishModel = this.#englishModel;
    if (!session || englishModel === undefined) return;
    const texts = session.state.entries.filter(
      (entry) => entry.kind === 'utterance' && entry.isFinal && entry.start >= this.#writesFrom,
    );
    this.#view.showForeign(latelyForeign(texts, session.time) ? englishModel : undefined);
  }

  #onStatus(choice: SoundChoice, status: ListenStatus): void {
    if (status.state === 'ended' || !this.#running) return;
    if (status.state === 'listening' && choice === 'microphone') void this.#microphones.refresh();
    const isWaiting = this.#awaiting !== undefined && status.state === 'listening';
    this.#view.show(isWaiting ? 'waiting' : status.state);
    const explanation = explanationOf(choice, status);
    if (isWaiting && !explanation) this.#showAwaiting();
    else this.#view.say('note', explanation && this.#said(explanation));
  }

  #onLevel(level: number, lag: number): void {
    const { session } = this.#running ?? {};
    if (!session) return;
    const awaiting = this.#awaiting;
    this.#view.showLevel(level, awaiting ? 0 : lag, session.time);
    if (awaiting && session.time >= mostWaiting) {
      const why = strings.live.waitedLong(mostWaiting / 60);
      this.#endUnheard(awaiting, { why, kept: strings.live.keptForLater });
      return;
    }
    // Another one may be awaited by now.
    const { state, reason } = session.status;
    const isWell = state === 'listening' && reason === undefined;
    if (awaiting && isWell) this.#showAwaiting();
    const isIdle = isWell && !awaiting && lag < mostLag;
    this.#view.showListening(isIdle && session.time - this.#lastHeard >= silence);
    if (session.sound.isFull) {
      this.#view.say('sound_note', strings.live.soundFull(duration(session.sound.seconds)));
    }
  }

  #said(explanation: Explanation): string {
    if (explanation === 'nothingHeard') return strings.live.noSound(this.#microphones.name);
    return strings.live.explanations[explanation];
  }

  #explainError(choice: SoundChoice, error: unknown): void {
    const explanation = explanationOfError(choice, error);
    const text = strings.live.explanations[explanation];
    this.#view.say('note', explanation === 'failed' ? failureOf(error) : text);
  }

  /** Whether a session can begin; else says why not. */
  get #isReady(): boolean {
    this.#showReadiness();
    return this.#obstacle === undefined;
  }

  #showReadiness(): void {
    if (this.#isIdle) this.#view.say('note', this.#obstacle);
  }

  get #obstacle(): string | undefined {
    const model = this.#model;
    if (!model) return this.#calls.awaitedModel() ? undefined : strings.live.noModel;
    if (!model.streams) return strings.live.doesNotStream(model.name);
    if (this.#calls.isModelBusy()) return strings.live.busy;
    return this.#view.choice === 'file' && !this.#file ? strings.live.chooseFirst : undefined;
  }

  #source(choice: SoundChoice): ListenSource {
    if (choice === 'file') return this.#view.player;
    if (choice === 'tab') return tabAudio();
    const { deviceId } = this.#microphones;
    return microphone(deviceId === undefined ? {} : { deviceId });
  }

  #useFile(file: File): void {
    this.#file = file;
    const before = this.#address;
    this.#address = URL.createObjectURL(file);
    this.#view.player.src = this.#address;
    if (before) URL.revokeObjectURL(before);
    this.#showReadiness();
  }

  /** The end of a recording ends the session; its last samples are still under way. */
  #onFileEnded(): void {
    const { session, choice } = this.#running ?? {};
    if (choice === 'file') setTimeout(() => void session?.stop(), 700);
  }
}

const failureOf = (error: unknown): string =>
  `${strings.live.explanations.failed}${error instanceof Error ? ` ${error.message}` : ''}`;

/** Whether the microphone that was asked for is not there. */
const isGone = ({ error }: ListenStatus): boolean =>
  error !== undefined && explanationOfError('microphone', error) === 'noMicrophone';
