// npm run evaluate:nothing: what tiny.en writes for sound without speech, in the default mode and in the reference's.
import { markdownTable } from '../accuracy/table.mjs';
import { integerOption, main, readArguments, StepError } from '../../toolchain/steps.mjs';
import { updatePage } from '../update_page.mjs';
import { Listener } from './listener.mjs';
import { nothing, soundNames } from './nothing_sounds.mjs';

const usage = `npm run evaluate:nothing -- [options]

Hours of silence, noise, hum, knocks and music, and the words that tiny.en (q8_0) makes up for them. What was measured is kept.

  --minutes N          of each sound in the default mode (60); a quarter of it for each of the four kinds of music
  --openai-minutes N   with compatibility: 'openai' (10); 0 leaves it out
  --sounds TEXT        only sounds whose names contain it
  --variant NAME       engine (simd)
  --update             writes the table into docs/dev/accuracy.md
  --text               prints the text, too`;

const pieces = (text) => text.split(/\s+/).filter(Boolean).length;
const anHour = (count, minutes) => Math.round((60 * count) / minutes);

function droppedAnHour({ rejected }, minutes) {
  const counts = new Map();
  for (const { decision } of rejected) {
    const kind = decision.replace('dropped:', '');
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${anHour(count, minutes)} ${kind}`).join(', ');
}

await main(async () => {
  const { values } = readArguments({
    options: {
      minutes: { type: 'string', default: '60' },
      'openai-minutes': { type: 'string', default: '10' },
      sounds: { type: 'string', default: '' },
      variant: { type: 'string', default: 'simd' },
      update: { type: 'boolean', default: false },
      text: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const longest = integerOption('minutes', values.minutes, 1, 600);
  const longestAsReference = integerOption('openai-minutes', values['openai-minutes'], 0, 600);
  const names = soundNames.filter((name) => name.includes(values.sounds));
  if (names.length === 0) {
    throw new StepError(`--sounds: none of ${soundNames.join(', ')} contains it.`);
  }
  const listener = await Listener.create(values.variant);
  try {
    const rows = [];
    for (const name of names) {
      const ours = Math.ceil(name.startsWith('music') ? longest / 4 : longest);
      const minutes = { default: ours, openai: Math.min(ours, longestAsReference) };
      const heard = {};
      for (const mode of ['default', 'openai']) {
        if (minutes[mode] === 0) continue;
        heard[mode] = await listener.hear(mode, nothing(name, 60 * minutes[mode]));
        console.error(`${name}, ${mode}: ${pieces(heard[mode].text)} words`);
        if (values.text) console.log(heard[mode].text);
      }
      const { default: own, openai } = heard;
      rows.push({
        sound: name,
        'heard, min': minutes.default,
        'words an hour': anHour(pieces(own.text), minutes.default),
        'as the reference': openai ? anHour(pieces(openai.text), minutes.openai) : '',
        'segments dropped an hour': droppedAnHour(own, minutes.default),
        'time, of the reference’s': openai
          ? `${Math.round((100 * own.share) / openai.share)} %`
          : '',
      });
    }
    const table = markdownTable(rows, 1);
    console.log(table);
    if (values.update) await updatePage({ nothing: table });
  } finally {
    listener.close();
  }
});
