// Every model on all recordings of people who talk.
import { differences } from './differences.mjs';
import { measureNatural } from './natural.mjs';
import { naturalSounds } from './natural_material.mjs';
import { trainedSystem } from './systems.mjs';
import { VirtualClock, wallSeconds } from './clock.mjs';

/** Compiles what is compiled first, unmeasured. */
const warm = (system, sound, options) =>
  measureNatural(
    system,
    { ...sound, samples: sound.samples.slice(0, 80_000) },
    { ...options, clockOf: () => new VirtualClock(wallSeconds) },
  );

function tell(title, { sound, words, offlineErrors, liveErrors, revised, faults, texts }, isText) {
  const errors = [offlineErrors, liveErrors, ...(revised ? [revised.errors] : [])].join(', ');
  console.error(`${title}, ${sound}: ${errors} of ${words} words`);
  for (const fault of faults.slice(0, 10)) console.error(`  ${fault}`);
  if (faults.length > 10) console.error(`  and ${faults.length - 10} more`);
  if (!isText) return;
  for (const one of differences({ ...texts, live: texts.revised ?? texts.live })) {
    console.log(
      `${sound}\n  said:    ${one.said}\n  offline: ${one.offline}\n  live:    ${one.live}`,
    );
  }
}

/**
 * `options`: of the command line. `timesOf` returns when each word of a known text is said.
 * @type {(options: { models: readonly import('../../trained_model.mjs').TrainedName[]; variants: readonly string[]; clock: string;
 *   soundName: string; recordings: number; conversations: number; stories: number; streamOptions: object; text: boolean } &
 *   Parameters<typeof measureNatural>[2], timesOf: Parameters<typeof naturalSounds>[1]) =>
 *   Promise<import('./natural_tables.mjs').NaturalRow[]>}
 */
export async function measureNaturalSpeech(options, timesOf) {
  const all = (await naturalSounds(options, timesOf))
    .filter(({ name, set }) => `${set} ${name}`.includes(options.soundName))
    .slice(0, options.recordings);
  const rows = [];
  for (const name of options.models) {
    for (const variant of options.variants) {
      const row = { model: `${name}, q8_0`, variant, clock: options.clock, sounds: [] };
      const system = await trainedSystem(name, variant, options.streamOptions);
      try {
        const heard = all.filter(
          ({ language = 'en' }) => language === 'en' || !name.endsWith('.en'),
        );
        if (heard[0]) await warm(system, heard[0], options);
        for (const sound of heard) {
          const measured = await measureNatural(system, sound, options);
          row.sounds.push(measured);
          tell(`${name}, ${variant}`, measured, options.text);
        }
      } finally {
        system.close();
      }
      rows.push(row);
    }
  }
  return rows;
}
