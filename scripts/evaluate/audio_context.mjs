// What audioContext costs and saves: the digits model on short clips, cut between the words of recordings whose truth is
// known. Word errors, time, positions, and how often 'auto' falls back. Needs the shared folder and a build.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { whisper } from '../facts/read_facts.mjs';
import { main, root, StepError } from '../toolchain/steps.mjs';
import { wavSamples } from '../wav_samples.mjs';
import { compareWords, words } from './word_errors.mjs';

const digitWords = 'zero one two three four five six seven eight nine'.split(' ');
const { sampleRate } = whisper;
const wordCounts = [1, 2, 4, 8, 12, 16, 24];

/** Clips of `count` words, cut in the middle of the silence between words. */
function cutClips({ samples, digits }, count) {
  const clips = [];
  const duration = samples.length / sampleRate;
  const middle = (index) =>
    index === 0
      ? 0
      : index === digits.length
        ? duration
        : (digits[index - 1].end + digits[index].start) / 2;
  for (let first = 0; first + count <= digits.length; first += count) {
    const [begin, end] = [middle(first), middle(first + count)];
    clips.push({
      samples: samples.slice(Math.round(begin * sampleRate), Math.round(end * sampleRate)),
      truth: digits.slice(first, first + count).map(({ digit }) => digitWords[digit]),
    });
  }
  return clips;
}

/** A context from the command line: full, auto, a number, or +N: so many positions more than the content has. */
function contextFor(name, { samples }) {
  if (name === 'full' || name === 'auto') return name;
  const content = name.startsWith('+') ? Math.ceil(samples.length / 320) : 0;
  return Math.min(whisper.officialAudioContext, content + Number(name));
}

async function evaluate(model, name, clips, options) {
  const row = {
    errors: 0,
    words: 0,
    milliseconds: 0,
    positions: 0,
    fallbacks: 0,
    clips: clips.length,
  };
  for (const clip of clips) {
    const begin = performance.now();
    const { segments, rejected, text } = await model.transcribe(clip.samples, {
      ...options,
      audioContext: contextFor(name, clip),
    });
    row.milliseconds += performance.now() - begin;
    row.errors += compareWords(clip.truth, words(text)).errors;
    row.words += clip.truth.length;
    const first = [...segments, ...rejected].sort((a, b) => a.seek - b.seek)[0];
    row.positions += first?.attempts[0].audioContext ?? 0;
    row.fallbacks += first?.attempts[0].decision === 'retried:audio-context' ? 1 : 0;
  }
  return row;
}

await main(async () => {
  const { values } = parseArgs({
    options: {
      model: { type: 'string' },
      variant: { type: 'string' },
      contexts: { type: 'string', default: 'full,auto,1000,500' },
      words: { type: 'string', default: wordCounts.join(',') },
      options: { type: 'string', default: '{}' },
    },
  });
  const folder = resolve(root, process.env.SUSURRUS_SHARED ?? '../shared', 'digits-model/eval');
  if (!existsSync(folder)) throw new StepError(`${folder} is wanted, and is not there`);
  const { loadModel } = await import(join(root, 'dist/node.mjs'));
  const { recordings } = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'));
  const spoken = recordings
    .filter(({ digits }) => digits.length > 0)
    .map(({ file, digits }) => ({ digits, samples: wavSamples(readFileSync(join(folder, file))) }));
  const model = await loadModel(values.model, values.variant && { variant: values.variant });
  const options = JSON.parse(values.options);
  try {
    console.log(`Model ${model.info.format}, ${model.info.dtypes}, engine ${model.info.variant}`);
    await model.transcribe(spoken[0].samples);
    const rows = [];
    for (const count of values.words.split(',').map(Number)) {
      const clips = spoken.flatMap((recording) => cutClips(recording, count));
      const seconds = clips.reduce((sum, { samples }) => sum + samples.length / sampleRate, 0);
      for (const name of values.contexts.split(',')) {
        const row = await evaluate(model, name, clips, options);
        rows.push({
          'words a clip': count,
          'seconds, mean': (seconds / clips.length).toFixed(1),
          audioContext: name,
          'word errors': `${row.errors} of ${row.words}`,
          WER: `${((100 * row.errors) / row.words).toFixed(1)} %`,
          'ms a clip': (row.milliseconds / clips.length).toFixed(0),
          'positions, mean': Math.round(row.positions / clips.length),
          'fell back': `${row.fallbacks} of ${clips.length}`,
        });
      }
    }
    console.table(rows);
  } finally {
    model.dispose();
  }
});
