// npm run evaluate:modes: the default mode beside the reference's, on speech whose truth is known.
import { markdownTable } from '../accuracy/table.mjs';
import { normalisedWords } from '../normalised_words.mjs';
import { openReference } from '../../reference/setup.mjs';
import { main, readArguments } from '../../toolchain/steps.mjs';
import { recordingSets } from '../speech/recording_sets.mjs';
import { updatePage } from '../update_page.mjs';
import { compareWords } from '../word_errors.mjs';
import { Listener, modes } from './listener.mjs';

const usage = `npm run evaluate:modes -- [options]

Word errors of tiny.en (q8_0) in the default mode and with compatibility: 'openai', the loops that were cut, and the words that
were dropped although they had been said. What was measured is kept.

  --variant NAME   engine (simd)
  --drops          prints what was dropped, too
  --update         writes the table into docs/dev/accuracy.md
  --quick          the demo page's sentences, words as they are: whether it works, with trained weights alone`;

/** The text with what was dropped put back in its place. */
const wholeText = ({ segments, rejected }) =>
  [...segments, ...rejected]
    .sort((a, b) => a.start - b.start)
    .map(({ text }) => text)
    .join('');

const isLoop = ({ decision }) =>
  decision === 'retried:repetition' || decision === 'retried:compression-ratio';

/** Windows that were decoded: one segment of each. */
const windowsOf = ({ segments, rejected }) => [
  ...new Map([...segments, ...rejected].map((segment) => [segment.seek, segment])).values(),
];

function counted(mode, recordings, expected, heard, words, wholeWords) {
  const row = {
    ...{ words: 0, errors: 0, substitutions: 0, deletions: 0, insertions: 0 },
    ...{ windows: 0, again: 0, looped: 0, dropped: 0, wronglyDropped: 0 },
  };
  for (const [i, { truth }] of recordings.entries()) {
    const windows = windowsOf(heard[i]);
    row.windows += windows.length;
    row.again += windows.filter(({ attempts }) => attempts.length > 1).length;
    row.looped += windows.filter(({ attempts }) => attempts.some(isLoop)).length;
    row.dropped += heard[i].rejected.length;
    if (truth === undefined) continue;
    const count = compareWords(expected[i], words[i]);
    const whole = compareWords(expected[i], wholeWords[i]);
    row.words += expected[i].length;
    for (const kind of ['errors', 'substitutions', 'deletions', 'insertions']) {
      row[kind] += count[kind];
    }
    row.wronglyDropped += Math.max(0, whole.pairs.length - count.pairs.length);
  }
  return {
    mode,
    'word errors': `${row.errors} of ${row.words}`,
    rate: `${((100 * row.errors) / row.words).toFixed(2)} %`,
    substituted: row.substitutions,
    deleted: row.deletions,
    inserted: row.insertions,
    windows: row.windows,
    'tried again': row.again,
    'with a loop': row.looped,
    'segments dropped': row.dropped,
    'words wrongly dropped': row.wronglyDropped,
  };
}

await main(async () => {
  const { values } = readArguments({
    options: {
      variant: { type: 'string', default: 'simd' },
      drops: { type: 'boolean', default: false },
      update: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const reference = values.quick ? undefined : await openReference();
  const listener = await Listener.create(values.variant);
  try {
    const recordings = recordingSets[values.quick ? 'quick' : 'recordings']();
    const expected = await normalisedWords(
      reference,
      recordings.map(({ truth, reference }) => truth ?? reference),
    );
    const rows = [];
    for (const mode of Object.keys(modes)) {
      const heard = [];
      for (const { name, samples } of recordings) {
        heard.push(await listener.hear(samples, modes[mode]));
        for (const { start, end, decision, text } of heard.at(-1).rejected) {
          if (values.drops) {
            console.log(`${mode}, ${name}, ${start} to ${end} s, ${decision}:${text}`);
          }
        }
      }
      const words = await normalisedWords(
        reference,
        heard.map(({ text }) => text),
      );
      const wholeWords = await normalisedWords(reference, heard.map(wholeText));
      rows.push(counted(mode, recordings, expected, heard, words, wholeWords));
    }
    const table = markdownTable(rows, 1);
    console.log(table);
    if (values.update) await updatePage({ modes: table });
  } finally {
    listener.close();
    reference?.close();
  }
});
