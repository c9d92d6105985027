// How fast it is, in the header: as measured on this device with the model in use, now or on an earlier visit, or as expected.
import { byId } from '../shell/dom.js';
import { strings } from '../strings.js';
import { expectedHere } from './expected_speed.js';
import { rememberedSpeed, rememberSpeed } from './remembered.js';

/** Shorter recordings say little about an hour: a second takes as long as half a minute, and one engine does all. */
const leastSeconds = 60;

export class SpeedPromise {
  readonly #place = byId('speed_promise', HTMLElement);
  readonly #text = byId('speed_text', HTMLElement);
  #model = '';

  /** Another model is in use. */
  model(name: string): void {
    this.#model = name;
    this.#show(undefined);
    void speedOf(name).then((speed) => {
      // What was measured meanwhile is there.
      if (this.#model === name && this.#place.hidden) this.#show(speed);
    });
  }

  /** What was measured: seconds of work for seconds of sound. */
  measured(work: number, audio: number): void {
    if (audio < leastSeconds || work <= 0) return;
    rememberSpeed(this.#model, audio / work);
    this.#show(audio / work);
  }

  #show(speed: number | undefined): void {
    this.#place.hidden = speed === undefined;
    if (speed !== undefined) this.#text.textContent = strings.page.hourIn(timeOfHour(speed));
  }
}

/** As it was measured here, or as expected. Undefined for a model of which nothing is known. */
export const speedOf = async (model: string): Promise<number | undefined> =>
  rememberedSpeed(model) ?? (await expectedHere(model));

/** What an hour of speech takes, "about 4 min", at so many times the speed of speech. */
export function timeOfHour(speed: number): string {
  const minutes = Math.max(1, Math.round(60 / speed));
  const { aboutMinutes, aboutHours } = strings.page;
  return minutes < 90 ? aboutMinutes(minutes) : aboutHours(Math.round(minutes / 60));
}
