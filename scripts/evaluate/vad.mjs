// npm run evaluate:vad: what transcribe({ vad: true }) costs and saves. Synthesised sentences with as much silence or noise
// between them as there is speech, written down by trained tiny.en with and without it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { whisper } from '../facts/read_facts.mjs';
import { joined } from '../joined.mjs';
import { Random } from '../reference/random.mjs';
import { integerOption, main, readArguments, root, StepError } from '../toolchain/steps.mjs';
import { markdownTable } from './accuracy/table.mjs';
import { colours } from './speech/noise.mjs';
import { clipSet } from './speech/clip_set.mjs';
import { recordingSets } from './speech/recording_sets.mjs';
import { compareWords, words } from './word_errors.mjs';

const usage = `npm run evaluate:vad -- [options]

  --recordings N   how many (20)
  --clips N        of speech in each (4)
  --variant NAME   engine (simd)
  --quick          one recording of the demo page's sentences, with silence: whether it works`;

/** Levels of the pink noise between the clips; 0 is digital silence. */
const levels = [0, 0.001, 0.01];

/** The clips, each behind a gap of its own length. */
function withGaps(clips, level, seed) {
  const noise = colours.pink(new Random(`gap ${seed}`));
  return joined(
    clips.flatMap(({ samples }) => [
      Float32Array.from(samples, () => (level === 0 ? 0 : level * noise())),
      samples,
    ]),
  );
}

class Column {
  #truth = 0;
  #missing = 0;
  #errors = 0;
  milliseconds = 0;

  add(truth, text, milliseconds) {
    const expected = words(truth);
    const { errors, deletions } = compareWords(expected, words(text));
    this.#truth += expected.length;
    this.#missing += deletions;
    this.#errors += errors;
    this.milliseconds += milliseconds;
  }

  cells(seconds) {
    const speed = this.milliseconds === 0 ? '' : (this.milliseconds / 1000 / seconds).toFixed(4);
    const share = ((100 * this.#errors) / this.#truth).toFixed(1);
    return {
      'words missing': `${this.#missing} of ${this.#truth}`,
      'word errors': `${share} %`,
      'time, × real time': speed,
    };
  }
}

const row = (between, vad, column, seconds) => ({ between, vad, ...column.cells(seconds) });

await main(async () => {
  const { values } = readArguments({
    options: {
      recordings: { type: 'string', default: '20' },
      clips: { type: 'string', default: '4' },
      variant: { type: 'string', default: 'simd' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const path = join(root, 'build/trained/tiny.en-q8_0.apr');
  if (!existsSync(path)) throw new StepError(`${path} is not there.`, 'npm test makes it.');
  if (values.quick) Object.assign(values, { recordings: '1', clips: '1' });
  const size = integerOption('clips', values.clips, 1);
  const all = values.quick ? recordingSets.quick() : clipSet();
  const count = Math.min(
    integerOption('recordings', values.recordings, 1),
    Math.floor(all.length / size),
  );
  const { loadModel } = await import('../../dist/node.mjs');
  const model = await loadModel(path, { variant: values.variant });
  const timed = async (samples, options) => {
    const begin = performance.now();
    const { text } = await model.transcribe(samples, { language: 'en', vad: false, ...options });
    return [text, performance.now() - begin];
  };
  const alone = new Column();
  const rows = levels.slice(0, values.quick ? 1 : Infinity).map((level) => ({
    level,
    plain: new Column(),
    vad: new Column(),
    samples: 0,
  }));
  for (let i = 0; i < count; ++i) {
    const clips = all.slice(i * size, (i + 1) * size);
    const truth = clips.map((clip) => clip.truth).join(' ');
    const texts = [];
    for (const { samples } of clips) texts.push((await timed(samples))[0]);
    alone.add(truth, texts.join(' '), 0);
    for (const row of rows) {
      const recording = withGaps(clips, row.level, i);
      row.samples += recording.length;
      row.plain.add(truth, ...(await timed(recording)));
      row.vad.add(truth, ...(await timed(recording, { vad: true })));
    }
  }
  model.dispose();
  const table = [row('nothing: each clip alone', 'no', alone, 1)];
  for (const { level, plain, vad, samples } of rows) {
    const between = level === 0 ? 'silence' : `noise, ${Math.round(20 * Math.log10(level))} dB`;
    const seconds = samples / whisper.sampleRate;
    table.push(row(between, 'no', plain, seconds), row(between, 'yes', vad, seconds));
  }
  console.log(markdownTable(table));
});
