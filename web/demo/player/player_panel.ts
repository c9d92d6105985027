// The player: a recording with its waveform, controls and keys; a video with its picture and the transcript as captions.
import type { TranscriptLike } from '../../src/index.js';
import { attachTextTrack, type AttachedTextTrack } from '../../page/text_track.js';
import { byId, element } from '../shell/dom.js';
import { strings } from '../strings.js';
import { shortClock } from '../transcript/short_clock.js';
import { KeySheet } from './key_sheet.js';
import type { Peaks } from './peaks.js';
import { Playback } from './playback.js';
import { commandOf, nextSpeed, speeds, TypingWatch, type PlayerCommand } from './player_keys.js';
import { outline } from './recording_peaks.js';
import { Waveform } from './waveform.js';

/** Seconds of "back" and "forward". */
const step = 5;

/** Where one types. */
const texts = 'input:not([type=checkbox], [type=radio]), textarea';

export interface PlayerCalls {
  readonly onTime: (seconds: number, isPlaying: boolean) => void;
  /** Keys whose meaning is the transcript's. */
  readonly onCommand: (command: 'find' | 'edit' | 'undo' | 'redo') => void;
}

export class PlayerPanel {
  readonly #panel = byId('player', HTMLElement);
  readonly #picture = byId('picture', HTMLElement);
  readonly #media = byId('media', HTMLVideoElement);
  readonly #toggle = byId('play', HTMLButtonElement);
  readonly #time = byId('player_time', HTMLElement);
  readonly #speed = byId('speed', HTMLSelectElement);
  readonly #problem = byId('player_problem', HTMLElement);
  readonly #waveform = new Waveform((seconds) => this.#playback.seek(seconds));
  readonly #keys = new KeySheet();
  readonly #typing = new TypingWatch();
  readonly #playback = new Playback(this.#media, {
    onTime: (seconds, isPlaying) => {
      this.#showTime();
      this.#calls?.onTime(seconds, isPlaying);
    },
    onState: () => this.#showState(),
    onProblem: (error) => this.#showProblem(error),
    // Firefox reports an error where there is no loudspeaker, and plays all the same.
    onPlaying: () => (this.#problem.hidden = true),
  });
  #calls: PlayerCalls | undefined;
  #recording: Blob | undefined;
  #outlining = new AbortController();
  #peaks: Peaks | undefined;
  #captions: AttachedTextTrack | undefined;
  #transcript: TranscriptLike = { segments: [] };

  constructor() {
    this.#speed.replaceChildren(
      ...speeds.map((speed) => {
        const option = element('option', '', strings.player.times(speed));
        option.value = String(speed);
        option.selected = speed === 1;
        return option;
      }),
    );
    this.#speed.addEventListener('change', () => {
      this.#playback.speed = Number(this.#speed.value);
    });
    this.#toggle.addEventListener('click', () => this.#playback.toggle());
    byId('back', HTMLButtonElement).addEventListener('click', () => this.#skip(-step));
    byId('forward', HTMLButtonElement).addEventListener('click', () => this.#skip(step));
    // Before whatever has the focus: a space would press it.
    document.addEventListener('keydown', (event) => this.#dropLeftover(event), { capture: true });
    document.addEventListener('pointerdown', () => this.#typing.end(), { capture: true });
    document.addEventListener('keydown', (event) => this.#onKey(event));
    // What sticks to the window below it needs its height.
    const bar = byId('transcript_bar', HTMLElement);
    const observer = new ResizeObserver(() => {
      const height = `${Math.max(bar.offsetHeight, this.#panel.offsetHeight)}px`;
      document.documentElement.style.setProperty('--bar-height', height);
    });
    observer.observe(bar);
    observer.observe(this.#panel);
  }

  listen(calls: PlayerCalls): void {
    this.#calls = calls;
  }

  get seconds(): number {
    return this.#playback.seconds;
  }

  get isPlaying(): boolean {
    return this.#playback.isPlaying;
  }

  /** Another recording, or none; one that is there already goes on. */
  load(recording: Blob | undefined): void {
    if (recording === this.#recording) return;
    this.#recording = recording;
    this.#outlining.abort();
    this.#outlining = new AbortController();
    this.#problem.hidden = true;
    this.#peaks = undefined;
    this.#waveform.peaks = undefined;
    this.#panel.hidden = !recording;
    this.#playback.load(recording);
    this.#showTime();
    if (!recording) return;
    const { signal } = this.#outlining;
    void outline(recording, signal, (peaks) => {
      if (signal.aborted) return;
      this.#peaks = peaks;
      this.#waveform.peaks = peaks;
      this.#showTime();
    });
  }

  play(from?: number): void {
    this.#playback.play(from);
  }

  pause(): void {
    this.#playback.pause();
  }

  /** Where there is text, and the captions of a video. */
  showSegments(transcript: TranscriptLike): void {
    this.#transcript = transcript;
    this.#waveform.segments = transcript.segments;
    this.#showCaptions();
    this.#showTime();
  }

  /** Browsers do not know how long a file is that a recorder wrote as it went along. */
  get #duration(): number {
    return this.#playback.duration || (this.#transcript.duration ?? this.#peaks?.seconds ?? 0);
  }

  #skip(seconds: number): void {
    this.#playback.seek(this.#playback.seconds + seconds);
  }

  #showTime(): void {
    const { seconds } = this.#playback;
    const duration = this.#duration;
    this.#waveform.show(seconds, duration);
    this.#time.textContent = `${shortClock(seconds)} / ${shortClock(Math.round(duration))}`;
  }

  #showState(): void {
    const { isPlaying, speed } = this.#playback;
    this.#toggle.setAttribute('aria-label', isPlaying ? strings.player.pause : strings.player.play);
    this.#toggle.classList.toggle('playing', isPlaying);
    this.#speed.value = String(speed);
    // Sound alone has no picture.
    const hasPicture = this.#recording !== undefined && this.#media.videoWidth > 0;
    this.#picture.hidden = !hasPicture;
    this.#showCaptions();
    this.#showTime();
  }

  #showCaptions(): void {
    if (this.#picture.hidden) {
      this.#captions?.remove();
      this.#captions = undefined;
    } else if (this.#captions) {
      this.#captions.update(this.#transcript);
    } else {
      this.#captions = attachTextTrack(this.#media, this.#transcript, {
        label: strings.player.captions,
      });
    }
  }

  #showProblem(error: unknown): void {
    const isWaiting = error instanceof Error && error.name === 'NotAllowedError';
    this.#problem.textContent = isWaiting ? strings.player.pressPlay : strings.player.cannotPlay;
    this.#problem.hidden = false;
  }

  #dropLeftover(event: KeyboardEvent): void {
    const { key, ctrlKey, metaKey, altKey, target, timeStamp: time } = event;
    const isCommand = ctrlKey || metaKey || altKey;
    const isInText = isIn(target, texts);
    if (!this.#typing.isLeftover({ key, isCommand, isInText, time })) return;
    event.preventDefault();
    event.stopPropagation();
  }

  #onKey(event: KeyboardEvent): void {
    const isElsewhere = document.querySelector('dialog[open]') !== null;
    if (
      this.#panel.closest('[inert], [hidden]:not(#player)') ||
      isElsewhere ||
      event.defaultPrevented
    )
      return;
    const { target } = event;
    const command = commandOf(
      {
        ...pick(event),
        isInText: isIn(target, `${texts}, select`),
        isOnControl: isIn(target, 'button, a, summary, input, [role=button], [role=region]'),
      },
      this.#keys.hasLetters,
    );
    if (command && this.#do(command)) event.preventDefault();
  }

  #do(command: PlayerCommand): boolean {
    const needsRecording = ['toggle', 'back', 'forward', 'slower', 'faster'];
    if (needsRecording.includes(command) && !this.#playback.hasRecording) return false;
    if (command === 'toggle') this.#playback.toggle();
    else if (command === 'back') this.#skip(-step);
    else if (command === 'forward') this.#skip(step);
    else if (command === 'slower' || command === 'faster') {
      this.#playback.speed = nextSpeed(this.#playback.speed, command === 'faster' ? 1 : -1);
    } else if (command === 'keys') this.#keys.open();
    else this.#calls?.onCommand(command);
    return true;
  }
}

const pick = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent) => ({
  key,
  ctrlKey,
  metaKey,
  altKey,
  shiftKey,
});

const isIn = (target: EventTarget | null, selector: string): boolean =>
  target instanceof Element && target.closest(selector) !== null;
