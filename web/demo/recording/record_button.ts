import { byId } from '../shell/dom.js';
import { strings } from '../strings.js';
import { startRecording, type Recording } from './recorder.js';

/** What the page does around a recording from the microphone. */
interface Calls {
  /** Before the microphone is asked for. */
  readonly onAsk: () => void;
  readonly onStart: () => void;
  readonly onRecorded: (file: File) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Starts a recording, and ends it. */
export class RecordButton {
  readonly #button = byId('record', HTMLButtonElement);
  readonly #label = byId('record_label', HTMLElement);
  readonly #level = byId('level', HTMLMeterElement);
  readonly #calls: Calls;
  #recording: Recording | undefined;

  constructor(calls: Calls) {
    this.#calls = calls;
    this.#button.addEventListener('click', () => void this.#toggle());
  }

  get isRecording(): boolean {
    return this.#recording !== undefined;
  }

  async #toggle(): Promise<void> {
    this.#button.disabled = true;
    try {
      if (this.#recording) {
        const file = await this.#recording.stop();
        this.#recording = undefined;
        this.#show(false);
        await this.#calls.onRecorded(file);
        return;
      }
      this.#calls.onAsk();
      this.#recording = await startRecording((peak) => (this.#level.value = peak));
      this.#show(true);
      this.#calls.onStart();
    } catch (error) {
      this.#show(false);
      this.#calls.onError(error);
    } finally {
      this.#button.disabled = false;
    }
  }

  #show(on: boolean): void {
    this.#button.setAttribute('aria-pressed', String(on));
    this.#label.textContent = on ? strings.recording.stop : strings.recording.record;
    this.#level.hidden = !on;
    this.#level.value = 0;
    this.#button.disabled = false;
  }
}
