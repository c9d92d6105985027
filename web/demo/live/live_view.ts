// What the live captions' card shows: its controls, the state, the sentences. Decides nothing.
import { byId, setText } from '../shell/dom.js';
import { strings } from '../strings.js';
import { languageName } from '../transcript/listening_options.js';
import type { HeardLanguage } from './caption_state.js';
import { CaptionView } from './caption_view.js';
import type { SoundChoice } from './explain.js';
import { Overlay } from './overlay.js';
import { pageStore } from '../shell/text_store.js';
import { shortTime, TranscriptLog } from './transcript_log.js';
import { TypeSize } from './type_size.js';

export type CardState = 'off' | 'starting' | 'waiting' | 'listening' | 'suspended' | 'stopping';

/** Seconds behind from which on it is said. */
const worthSaying = 1.5;

export interface ViewCalls {
  /** The large button. */
  readonly onToggle: () => void;
  readonly onSource: (choice: SoundChoice) => void;
  readonly onFile: (file: File) => void;
  readonly onOtherLanguages: () => void;
}

const labels: Readonly<Record<CardState, string>> = {
  off: strings.live.start,
  starting: strings.live.cancel,
  waiting: strings.live.cancel,
  listening: strings.live.stop,
  suspended: strings.live.stop,
  stopping: strings.live.finishing,
};

export class LiveView {
  readonly captions = new CaptionView(byId('live_lines', HTMLElement));
  readonly log = new TranscriptLog(
    byId('live_log', HTMLElement),
    byId('live_list', HTMLOListElement),
    byId('live_announcer', HTMLElement),
  );
  readonly player = byId('live_player', HTMLAudioElement);
  readonly #card = byId('live', HTMLElement);
  readonly #open = byId('live_open', HTMLButtonElement);
  readonly #close = byId('live_close', HTMLButtonElement);
  readonly #toggle = byId('live_toggle', HTMLButtonElement);
  readonly #source = byId('live_source', HTMLSelectElement);
  readonly #stage = byId('live_stage', HTMLElement);
  readonly #level = byId('live_level', HTMLElement);
  readonly #time = byId('live_time', HTMLElement);
  readonly #lag = byId('live_lag', HTMLElement);
  readonly #idle = byId('live_idle', HTMLElement);
  readonly #language = byId('live_language', HTMLElement);
  readonly #size = new TypeSize(pageStore);
  readonly #overlay: Overlay;
  #state: CardState = 'off';

  constructor(calls: ViewCalls) {
    this.#open.addEventListener('click', () => this.reveal());
    this.#close.addEventListener('click', () => this.#hide());
    this.#toggle.addEventListener('click', ({ detail }) => {
      // The second half of a double click would take the first one back.
      if (detail <= 1) calls.onToggle();
    });
    this.#source.addEventListener('change', () => {
      this.#showMicrophones();
      calls.onSource(this.choice);
    });
    this.#overlay = new Overlay(this.#stage, (isOpen) => this.#showOverlay(isOpen));
    this.#listenToTools();
    this.#listenToFile(calls.onFile);
    byId('live_other_languages', HTMLButtonElement).addEventListener(
      'click',
      calls.onOtherLanguages,
    );
    if (!canShareTabs()) this.#source.querySelector('[value="tab"]')?.remove();
    this.#showSize();
    this.#showState();
  }

  get choice(): SoundChoice {
    const { value } = this.#source;
    return value === 'tab' || value === 'file' ? value : 'microphone';
  }

  /** Opens the card. */
  reveal(): void {
    this.#card.hidden = false;
    this.#open.setAttribute('aria-expanded', 'true');
    this.captions.fit();
    this.#toggle.focus();
  }

  show(state: CardState): void {
    this.#state = state;
    this.#showState();
  }

  showLevel(level: number, lag: number, seconds: number): void {
    this.#showLoudness(level);
    setText(this.#time, shortTime(seconds));
    this.#lag.hidden = lag < worthSaying;
    if (!this.#lag.hidden) setText(this.#lag, strings.live.behind(Math.round(lag)));
  }

  /** Nobody speaks: readers are not told. */
  showListening(isShown: boolean): void {
    byId('live_listening', HTMLElement).hidden = !isShown;
  }

  /** The language that the model detected, if it does that, and how sure it is. */
  showLanguage(heard: HeardLanguage | undefined): void {
    this.#language.hidden = heard === undefined;
    if (!heard) return;
    const { language, probability, since } = heard;
    const name = languageName(language);
    const sure = strings.editor.sure(probability);
    setText(
      this.#language,
      since === undefined
        ? strings.live.language(name, sure)
        : strings.live.languageSince(name, shortTime(since), sure),
    );
  }

  /** Nothing is said yet: the lines are empty but for a hint. */
  showIdle(isIdle: boolean): void {
    this.#idle.hidden = !isIdle;
  }

  /** What was said is shown elsewhere: no lines until the next session. */
  rest(isResting: boolean): void {
    this.#card.toggleAttribute('data-resting', isResting);
  }

  /** Shows a sentence, or none, about the session, the stored copy or the audio. */
  say(which: 'note' | 'copy_note' | 'sound_note', text: string | undefined): void {
    const place = byId(`live_${which}`, HTMLElement);
    place.hidden = text === undefined;
    setText(place, text ?? '');
  }

  /** Whether no note is shown. */
  get isSilent(): boolean {
    return byId('live_note', HTMLElement).hidden !== false;
  }

  /** What is said may not be English, which the model of this name knows alone. */
  showForeign(englishModel: string | undefined): void {
    byId('live_foreign', HTMLElement).hidden = englishModel === undefined;
    const place = byId('live_foreign_text', HTMLElement);
    setText(
      place,
      englishModel === undefined ? '' : strings.transcript.perhapsForeign(englishModel),
    );
  }

  showPlayer(isShown: boolean): void {
    byId('live_player_field', HTMLElement).hidden = !isShown;
  }

  closeOverlay(): void {
    this.#overlay.close();
  }

  #hide(): void {
    this.#card.hidden = true;
    this.#overlay.close();
    this.#open.setAttribute('aria-expanded', 'false');
    // The menu that it was opened from has closed.
    byId('speak_open', HTMLButtonElement).focus();
  }

  #showState(): void {
    const state = this.#state;
    const isOff = state === 'off';
    this.#card.dataset.state = state;
    byId('live_toggle_label', HTMLElement).textContent = labels[state];
    this.#toggle.disabled = state === 'stopping';
    byId('live_source_field', HTMLElement).hidden = !isOff;
    this.#showMicrophones();
    this.#close.hidden = !isOff;
    this.#level.hidden = isOff || state === 'starting';
    if (!isOff) return;
    this.#showLoudness(0);
    this.#time.textContent = '';
    this.#lag.hidden = true;
    this.showListening(false);
    this.showLanguage(undefined);
    this.showForeign(undefined);
  }

  #showMicrophones(): void {
    const isAsked = this.#state === 'off' && this.choice === 'microphone';
    byId('live_microphone_place', HTMLElement).hidden = !isAsked;
  }

  #showLoudness(level: number): void {
    byId('live_level_bar', HTMLElement).style.transform = `scaleX(${level.toFixed(2)})`;
    // In steps: the exact value is for eyes.
    const value = String(Math.round(level * 10) * 10);
    if (this.#level.getAttribute('aria-valuenow') !== value) {
      this.#level.setAttribute('aria-valuenow', value);
    }
  }

  #listenToTools(): void {
    byId('live_smaller', HTMLButtonElement).addEventListener('click', () => this.#resize(-1));
    byId('live_larger', HTMLButtonElement).addEventListener('click', () => this.#resize(1));
    const button = byId('live_overlay', HTMLButtonElement);
    button.hidden = !Overlay.isAvailable;
    button.addEventListener('click', () => {
      if (this.#overlay.isOpen) this.#overlay.close();
      else this.#overlay.open().catch(() => this.say('note', strings.live.overlayRefused));
    });
  }

  #listenToFile(onFile: (file: File) => void): void {
    const input = byId('live_file', HTMLInputElement);
    byId('live_choose', HTMLButtonElement).addEventListener('click', () => input.click());
    input.addEventListener('change', () => {
      const [file] = input.files ?? [];
      if (file) onFile(file);
      input.value = '';
    });
  }

  #resize(by: 1 | -1): void {
    this.#size.change(by);
    this.#showSize();
  }

  #showSize(): void {
    this.#stage.dataset.size = String(this.#size.step);
    byId('live_smaller', HTMLButtonElement).disabled = !this.#size.canShrink;
    byId('live_larger', HTMLButtonElement).disabled = !this.#size.canGrow;
    this.captions.fit();
  }

  #showOverlay(isOpen: boolean): void {
    byId('live_overlay', HTMLButtonElement).setAttribute('aria-pressed', String(isOpen));
    byId('live_away', HTMLElement).hidden = !isOpen;
    this.captions.fit();
  }
}

const canShareTabs = (): boolean =>
  'getDisplayMedia' in
  ((navigator as { mediaDevices?: MediaDevices }).mediaDevices ?? ({} as MediaDevices));
