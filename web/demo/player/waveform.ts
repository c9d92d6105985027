// The recording as a picture that is also the slider of the player: what was played, where there is speech, and where it is now.
import { byId } from '../shell/dom.js';
import { strings } from '../strings.js';
import { spokenClock } from '../transcript/short_clock.js';
import type { Peaks } from './peaks.js';

interface Stretch {
  readonly start: number;
  readonly end: number;
}

const barWidth = 3;
const barGap = 1;
/** Seconds that Page Up and Page Down move. */
const largeStep = 30;
const smallStep = 5;

export class Waveform {
  readonly #slider = byId('waveform', HTMLElement);
  readonly #canvas = byId('waveform_picture', HTMLCanvasElement);
  readonly #onSeek: (seconds: number) => void;
  #peaks: Peaks | undefined;
  #segments: readonly Stretch[] = [];
  #duration = 0;
  #seconds = 0;
  #isDrawing = false;
  /** What is drawn, so that nothing is drawn twice. */
  #drawn = '';

  constructor(onSeek: (seconds: number) => void) {
    this.#onSeek = onSeek;
    new ResizeObserver(() => this.#redraw()).observe(this.#slider);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#redraw());
    this.#slider.addEventListener('keydown', (event) => this.#onKey(event));
    this.#slider.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      this.#slider.setPointerCapture(event.pointerId);
      this.#seekTo(event);
    });
    this.#slider.addEventListener('pointermove', (event) => {
      if (this.#slider.hasPointerCapture(event.pointerId)) this.#seekTo(event);
    });
  }

  set peaks(peaks: Peaks | undefined) {
    this.#peaks = peaks;
    this.#redraw();
  }

  set segments(segments: readonly Stretch[]) {
    this.#segments = segments;
    this.#redraw();
  }

  /** Where playback is, and how long the recording is; 0 where that is not known. */
  show(seconds: number, duration: number): void {
    const hasChanged = duration !== this.#duration;
    this.#seconds = seconds;
    this.#duration = duration;
    this.#slider.setAttribute('aria-valuemax', String(Math.round(duration)));
    this.#slider.setAttribute('aria-valuenow', String(Math.round(seconds)));
    this.#slider.setAttribute(
      'aria-valuetext',
      strings.player.position(spokenClock(seconds), spokenClock(duration)),
    );
    if (hasChanged) this.#redraw();
    else this.#drawSoon();
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: this.#seconds - smallStep,
      ArrowDown: this.#seconds - smallStep,
      ArrowRight: this.#seconds + smallStep,
      ArrowUp: this.#seconds + smallStep,
      PageDown: this.#seconds - largeStep,
      PageUp: this.#seconds + largeStep,
      Home: 0,
      End: this.#duration,
    };
    const to = targets[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.#onSeek(Math.min(Math.max(0, to), this.#duration));
  }

  #seekTo({ clientX }: PointerEvent): void {
    const { left, width } = this.#slider.getBoundingClientRect();
    if (width > 0 && this.#duration > 0) {
      const part = Math.min(1, Math.max(0, (clientX - left) / width));
      this.#onSeek(part * this.#duration);
    }
  }

  #redraw(): void {
    this.#drawn = '';
    this.#drawSoon();
  }

  #drawSoon(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.#draw();
    });
  }

  #draw(): void {
    const { clientWidth: width, clientHeight: height } = this.#slider;
    const context = this.#canvas.getContext('2d');
    if (!context || width === 0 || height === 0) return;
    const scale = devicePixelRatio;
    const now = this.#duration > 0 ? (this.#seconds / this.#duration) * width : 0;
    const picture = [width, height, scale, Math.round(now * scale)].join(' ');
    if (picture === this.#drawn) return;
    this.#drawn = picture;
    const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
    // Setting a size, even the same one, makes a new bitmap, and each segment that comes draws it again.
    if (this.#canvas.width !== wide) this.#canvas.width = wide;
    if (this.#canvas.height !== high) this.#canvas.height = high;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    const style = getComputedStyle(this.#slider);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    this.#drawBars(context, width, height - 8, now, [colour('--accent'), colour('--wave')]);
    context.fillStyle = colour('--wave-speech');
    for (const { start, end } of this.#segments) {
      const from = (start / this.#duration) * width;
      const to = (end / this.#duration) * width;
      context.fillRect(from, height - 4, Math.max(1, to - from - 1), 3);
    }
    context.fillStyle = colour('--ink');
    context.fillRect(Math.min(width - 2, Math.max(0, now - 1)), 0, 2, height);
  }

  /** `height`: height of the tallest bar. */
  #drawBars(
    context: CanvasRenderingContext2D,
    width: number,
    height: number,
    now: number,
    [played, rest]: readonly [string, string],
  ): void {
    const step = barWidth + barGap;
    const count = Math.max(1, Math.floor(width / step));
    const bars = this.#peaks?.bars(count, this.#duration) ?? new Float32Array(count);
    const loudest = bars.reduce((most, bar) => Math.max(most, bar), 0.05);
    for (const [at, bar] of bars.entries()) {
      const tall = Math.max(2, (bar / loudest) * height);
      context.fillStyle = at * step + barWidth <= now ? played : rest;
      context.beginPath();
      context.roundRect(at * step, (height - tall) / 2, barWidth, tall, 1.5);
      context.fill();
    }
  }
}
