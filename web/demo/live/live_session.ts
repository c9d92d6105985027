// One session of live captions: the audio, the model, the text and the journal. Knows no page.
import type { AnyLiveOptions } from '../../src/index.js';
import { listen, type Listening, type ListenSource, type ListenStatus } from '../../page/live.js';
import type { StreamingModel } from '../../page/live.js';
import { CaptionState, type Change } from './caption_state.js';
import type { Journal } from './journal.js';
import { KeptSound } from '../recording/kept_sound.js';
import { ModelSwitch } from './model_switch.js';

export interface SessionCalls {
  readonly onChange: (change: Change) => void;
  readonly onStatus: (status: ListenStatus) => void;
  /** About twenty times a second while sound comes: its level, 0 to 1, and the seconds that the model is behind. */
  readonly onLevel: (level: number, lag: number) => void;
}

export class LiveSession {
  readonly state = new CaptionState();
  readonly sound = new KeptSound();
  readonly #calls: SessionCalls;
  readonly #journal: Journal;
  readonly #models: ModelSwitch;
  readonly #listening: Listening;
  /** Resolves, and never rejects, when the last event has come; with how it ended. */
  readonly ended: Promise<ListenStatus>;

  /** Without a model, sound waits for followModel(). Throws what listen() throws. */
  constructor(
    model: StreamingModel | undefined,
    source: ListenSource,
    options: AnyLiveOptions,
    journal: Journal,
    calls: SessionCalls,
  ) {
    this.#calls = calls;
    this.#journal = journal;
    this.#models = new ModelSwitch(model, options, {
      onNext: (offset) => this.#tell(this.state.beginStream(offset)),
      onSound: (samples, rate) => this.sound.add(samples, rate),
    });
    this.#listening = listen(this.#models, source, {
      onState: calls.onStatus,
      onLevel: (level) => {
        calls.onLevel(level, this.lag);
        this.#journal.note(this.state, Date.now());
      },
    });
    this.ended = this.#run();
  }

  get status(): ListenStatus {
    return this.#listening.status;
  }

  /** Seconds of sound so far. */
  get time(): number {
    return this.#listening.time;
  }

  /** Seconds that the model is behind. */
  get lag(): number {
    return this.#listening.lag + this.#models.waiting;
  }

  stop(): Promise<void> {
    return this.#listening.close();
  }

  resume(): Promise<void> {
    return this.#listening.resume();
  }

  /** Writes down at once what is there. */
  save(): void {
    this.#journal.write(this.state, Date.now());
  }

  /** The model goes; the sound waits for the next. */
  leaveModel(): Promise<void> {
    return this.#models.leave();
  }

  /** This model goes on. */
  followModel(model: StreamingModel, options: AnyLiveOptions): void {
    this.#models.follow(model, options);
  }

  async #run(): Promise<ListenStatus> {
    // The caller has this session before its first event.
    await Promise.resolve();
    let failure: ListenStatus | undefined;
    try {
      for await (const event of this.#listening) {
        this.#tell(this.state.apply(event));
        this.#journal.note(this.state, Date.now());
      }
    } catch (error) {
      failure = { state: 'ended', reason: 'failed', error };
    }
    this.#tell(this.state.close());
    this.save();
    return failure ?? this.#listening.status;
  }

  #tell(changes: readonly Change[]): void {
    for (const change of changes) this.#calls.onChange(change);
  }
}
