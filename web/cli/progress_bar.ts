import type { Progress } from '../src/node.js';
import { isQuiet } from './terminal.js';

const width = 30;
const millisecondsBetween = 100;

/** A bar on stderr when that is a terminal, unless --quiet says otherwise. */
export class ProgressBar {
  readonly #label: string;
  #last = -Infinity;
  #isShown = false;

  constructor(label: string) {
    this.#label = label;
  }

  readonly update = ({ overall, remainingSeconds }: Progress): void => {
    if (!process.stderr.isTTY || isQuiet()) return;
    const now = performance.now();
    if (now - this.#last < millisecondsBetween && overall < 1) return;
    this.#last = now;
    const text = `${bar(overall)} ${Math.floor(overall * 100)} %${rest(remainingSeconds)}`;
    process.stderr.write(`\r\x1b[2K${this.#label} ${text}`);
    this.#isShown = true;
  };

  /** Makes room for other lines. */
  clear(): void {
    if (this.#isShown) process.stderr.write('\r\x1b[2K');
    this.#isShown = false;
  }
}

function bar(part: number): string {
  const full = Math.round(part * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

/** How long it will still take: `, 1:05 left`. */
function rest(seconds: number | undefined): string {
  if (seconds === undefined) return '';
  return `, ${time(Math.ceil(seconds))} left`;
}

/** `1:05`, or `2:00:09` with hours. */
function time(seconds: number): string {
  const whole = Math.floor(seconds);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const start = hours > 0 ? `${hours}:${two(minutes)}` : String(minutes);
  return `${start}:${two(whole % 60)}`;
}
