// npm run evaluate:digits: the digits model on recordings whose truth is known. Word errors, errors of word times, and what it
// makes of sounds without speech. Needs the shared folder and a build. With --quick one recording, to see whether it works.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { main, root, StepError } from '../toolchain/steps.mjs';
import { speechless } from './signals.mjs';
import { quantile } from '../statistics.mjs';
import { compareWords, words } from './word_errors.mjs';

const digitWords = 'zero one two three four five six seven eight nine'.split(' ');
const ways = {
  'greedy, default mode': {},
  'beam 5, default mode': { beamSize: 5 },
  'greedy, as the reference at temperature 0': { compatibility: 'openai', temperature: 0 },
  'beam 5, as the reference at temperature 0': {
    compatibility: 'openai',
    temperature: 0,
    beamSize: 5,
  },
};

const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;
const milliseconds = (seconds) => `${Math.round(1000 * seconds)}`;

async function evaluateWords(model, recordings, read) {
  const rows = {};
  for (const [name, options] of Object.entries(ways)) {
    const counts = {};
    const timeErrors = [];
    let rejected = 0;
    for (const { file, digits } of recordings) {
      const result = await model.transcribe(read(file), {
        vad: false,
        timestamps: 'word',
        ...options,
      });
      rejected += result.rejected.length;
      const heard = result.segments
        .flatMap((segment) => segment.words ?? [])
        .flatMap((word) => words(word.word).map((text) => ({ ...word, text })));
      const { errors, pairs } = compareWords(
        digits.map(({ digit }) => digitWords[digit]),
        heard.map(({ text }) => text),
      );
      const length = file.split('-')[0];
      counts[length] ??= { errors: 0, words: 0 };
      counts[length].errors += errors;
      counts[length].words += digits.length;
      for (const [truth, index] of pairs) {
        timeErrors.push(
          Math.abs(heard[index].start - digits[truth].start),
          Math.abs(heard[index].end - digits[truth].end),
        );
      }
    }
    const sum = (key) => Object.values(counts).reduce((total, count) => total + count[key], 0);
    rows[name] = {
      ...Object.fromEntries(
        Object.entries(counts)
          .filter(([length]) => length !== 'silent')
          .map(([length, count]) => [`${length} WER`, percent(count.errors, count.words)]),
      ),
      'all WER': percent(sum('errors'), sum('words')),
      'word time ms, median': milliseconds(quantile(timeErrors, 0.5)),
      '95 %': milliseconds(quantile(timeErrors, 0.95)),
      rejected,
    };
  }
  console.table(rows);
}

async function evaluateSpeechless(model, recordings, read) {
  const sounds = {
    ...speechless,
    ...Object.fromEntries(recordings.map(({ file }) => [file, () => read(file)])),
  };
  for (const timestamps of ['segment', 'none']) {
    const rows = {};
    for (const [name, make] of Object.entries(sounds)) {
      const { text, segments, rejected } = await model.transcribe(make(), {
        vad: false,
        timestamps,
      });
      const all = [...segments, ...rejected];
      rows[name] = {
        text: text.length > 40 ? `${text.slice(0, 40)}…` : text,
        segments: segments.map(({ start, end }) => `${start}–${end}`).join(' '),
        decisions: [...new Set(all.map(({ decision }) => decision))].join(' '),
        'no-speech probability': all.map(({ noSpeechProb }) => noSpeechProb.toFixed(2)).join(' '),
      };
    }
    console.log(`\nSounds without speech, timestamps: '${timestamps}'`);
    console.table(rows);
  }
}

await main(async () => {
  const { values } = parseArgs({
    options: {
      model: { type: 'string', default: 'digits' },
      variant: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  });
  const folder = resolve(root, process.env.SUSURRUS_SHARED ?? '../shared', 'digits-model/eval');
  if (!existsSync(folder)) throw new StepError(`${folder} is wanted, and is not there`);
  const { loadModel } = await import(join(root, 'dist/node.mjs'));
  const { recordings } = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'));
  const read = (file) => readFileSync(join(folder, file));
  const model = await loadModel(values.model, values.variant && { variant: values.variant });
  try {
    console.log(`Model ${model.info.format}, ${model.info.dtypes}, engine ${model.info.variant}`);
    if (values.quick) return await evaluateWords(model, recordings.slice(0, 1), read);
    await evaluateWords(model, recordings, read);
    const silent = recordings.filter(({ digits }) => digits.length === 0);
    await evaluateSpeechless(model, silent, read);
  } finally {
    model.dispose();
  }
});
