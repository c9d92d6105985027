// How fast it is, in the header: measured on this device with the model in use, now or on an earlier visit.
import { byId } from '../shell/dom.js';
import { strings } from '../strings.js';
import { rememberedSpeed, rememberSpeed } from './remembered.js';

/** Shorter recordings say little about a minute. */
const leastSeconds = 5;

export class SpeedPromise {
  readonly #place = byId('speed_promise', HTMLElement);
  readonly #text = byId('speed_text', HTMLElement);
  #model = '';

  /** Another model is in use. */
  model(name: string): void {
    this.#model = name;
    this.#show(rememberedSpeed(name));
  }

  /** What was measured: seconds of work for seconds of sound. */
  measured(work: number, audio: number): void {
    if (audio < leastSeconds || work <= 0) return;
    rememberSpeed(this.#model, audio / work);
    this.#show(audio / work);
  }

  #show(speed: number | undefined): void {
    this.#place.hidden = speed === undefined;
    if (speed !== undefined) this.#text.textContent = minuteIn(speed);
  }
}

/** "A minute in 4 s here", at so many times the speed of speech. */
export function minuteIn(speed: number): string {
  const seconds = 60 / speed;
  const { minuteIn: said } = strings.page;
  if (seconds < 1) return said('less than 1 s');
  if (seconds < 10) return said(`${seconds.toFixed(1).replace('.0', '')} s`);
  return seconds < 90 ? said(`${Math.round(seconds)} s`) : said(`${Math.round(seconds / 60)} min`);
}
