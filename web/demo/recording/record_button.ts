// The button that starts and ends a recording, with its time and level beside it.
import { byId, setText } from '../shell/dom.js';
import { explanationOfError, type Explanation } from '../live/explain.js';
import { strings } from '../strings.js';
import type { Microphones } from './microphones.js';
import { startRecording, type Recording } from './recorder.js';

/** What the page does around a recording from the microphone. */
interface Callbacks {
  /** It records from now on, or does not any more. */
  readonly onState: (isRecording: boolean) => void;
  /** Before the microphone is asked for. */
  readonly onAsk: () => void;
  readonly onRecorded: (file: File) => void;
  readonly onError: (title: string, error: unknown) => void;
}

/** As long may a microphone take to begin. */
const patience = 2000;

export class RecordButton {
  readonly #button = byId('record', HTMLButtonElement);
  readonly #label = byId('record_label', HTMLElement);
  readonly #line = byId('recording', HTMLElement);
  readonly #time = byId('recording_time', HTMLElement);
  readonly #note = byId('recording_note', HTMLElement);
  readonly #level = byId('level', HTMLMeterElement);
  readonly #calls: Callbacks;
  readonly #microphones: Microphones;
  #recording: Recording | undefined;
  #ticking: number | undefined;
  /** Counts what was discarded: what was begun before is not wanted any more. */
  #discarded = 0;

  constructor(microphones: Microphones, calls: Callbacks) {
    this.#microphones = microphones;
    this.#calls = calls;
    this.#button.addEventListener('click', () => void this.#toggle());
  }

  get isRecording(): boolean {
    return this.#recording !== undefined;
  }

  /** Ends what is recorded, or is about to be; nothing of it is kept. */
  async discard(): Promise<void> {
    this.#discarded += 1;
    const recording = this.#recording;
    if (!recording) return;
    this.#end();
    await recording.stop();
  }

  async #toggle(): Promise<void> {
    this.#button.disabled = true;
    try {
      if (this.#recording) await this.#stop();
      else await this.#start();
    } catch (error) {
      this.#end();
      this.#calls.onError(strings.recording.refused, microphoneProblem(error));
    } finally {
      this.#button.disabled = false;
    }
  }

  async #start(): Promise<void> {
    this.#calls.onAsk();
    const before = this.#discarded;
    const recording = await this.#open();
    if (before !== this.#discarded) {
      await recording.stop();
      return;
    }
    this.#recording = recording;
    void this.#microphones.refresh();
    const began = Date.now();
    this.#button.setAttribute('aria-pressed', 'true');
    this.#label.textContent = strings.recording.stop;
    this.#note.textContent = strings.recording.going;
    this.#line.hidden = false;
    this.#calls.onState(true);
    const tick = (): void => this.#show(Date.now() - began > patience);
    tick();
    this.#ticking = window.setInterval(tick, 200);
  }

  async #open(): Promise<Recording> {
    const { deviceId } = this.#microphones;
    const begin = (id: string | undefined): Promise<Recording> =>
      startRecording(id, {
        onLevel: (level) => (this.#level.value = level),
        onEnded: (why) => void this.#onEnded(why),
      });
    try {
      return await begin(deviceId);
    } catch (error) {
      const isGone = explanationOfError('microphone', error) === 'noMicrophone';
      if (deviceId === undefined || !isGone) throw error;
      this.#microphones.miss();
      return begin(undefined);
    }
  }

  async #onEnded(why: 'lost' | 'full'): Promise<void> {
    if (!this.#recording) return;
    await this.#toggle();
    const { lost, lostHint } = strings.recording;
    if (why === 'lost') this.#calls.onError(lost, new Error(lostHint));
  }

  async #stop(): Promise<void> {
    const recording = this.#recording;
    const before = this.#discarded;
    this.#recording = undefined;
    const file = await recording?.stop();
    this.#end();
    if (before !== this.#discarded) return;
    if (file) this.#calls.onRecorded(file);
    else this.#calls.onError(strings.recording.nothing, new Error(strings.recording.nothingHint));
  }

  #show(hasWaited: boolean): void {
    if (!this.#recording) return;
    const { seconds, isSilent } = this.#recording;
    this.#time.textContent = elapsed(seconds);
    const { going, notHeard } = strings.recording;
    const { absence } = this.#microphones;
    const usual = absence === undefined ? going : `${absence} ${going}`;
    const note = hasWaited && isSilent ? notHeard : usual;
    setText(this.#note, note);
  }

  #end(): void {
    window.clearInterval(this.#ticking);
    this.#recording = undefined;
    this.#button.setAttribute('aria-pressed', 'false');
    this.#label.textContent = strings.recording.record;
    this.#line.hidden = true;
    this.#calls.onState(false);
    this.#level.value = 0;
  }
}

/** 0:07, 12:30, 1:02:03. */
function elapsed(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [
    Math.floor(whole / 3600),
    Math.floor(whole / 60) % 60,
    whole % 60,
  ].map(String) as [string, string, string];
  const tail = rest.padStart(2, '0');
  return hours === '0' ? `${minutes}:${tail}` : `${hours}:${minutes.padStart(2, '0')}:${tail}`;
}

/** Why there is no microphone, in plain words. */
function microphoneProblem(error: unknown): unknown {
  const { forbidden, absent, busy, insecure } = strings.recording;
  const sentences: Partial<Record<Explanation, string>> = {
    refused: forbidden,
    noMicrophone: absent,
    microphoneBusy: busy,
    notHere: insecure,
  };
  const sentence = sentences[explanationOfError('microphone', error)];
  return sentence === undefined ? error : new Error(sentence, { cause: error });
}
