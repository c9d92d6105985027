// Words that a live recogniser invents in sound without speech, fed at full speed.
import { shownUnits } from '../languages/units.mjs';
import { nothing } from '../modes/nothing_sounds.mjs';
import { hearLive, noTime } from './hear.mjs';
import { followed } from './transcript.mjs';

/** What the hours are made of, in equal parts. @type {Readonly<Record<string, readonly string[]>>} */
const kinds = {
  silence: ['digital silence'],
  noise: [
    'white noise, −30 dB',
    'pink noise, −50 dB',
    'a room',
    'wind and traffic',
    'clicks and knocks',
    'mains hum',
  ],
  music: ['music: melodies', 'music: chords', 'music: drums', 'music: all together'],
};

const blockSeconds = 0.5;

/**
 * Words an hour by kind of sound; `told` is called with each text.
 * @type {(system: import('./systems.mjs').System, minutes: number, told: (sound: string, text: string) => void) =>
 *   Promise<Record<string, number>>}
 */
export async function inventedWords(system, minutes, told) {
  const anHour = {};
  for (const [kind, names] of Object.entries(kinds)) {
    let count = 0;
    for (const name of names) {
      const samples = nothing(name, (60 * minutes) / names.length);
      const { deliveries } = await hearLive(system.open, samples, noTime, blockSeconds);
      const { text } = followed(deliveries);
      count += shownUnits(text);
      told(name, text);
    }
    anHour[kind] = (60 * count) / minutes;
  }
  return anHour;
}
