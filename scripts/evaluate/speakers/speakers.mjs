// npm run evaluate:speakers: who spoke when, beside people's marks.
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ReferenceProcess } from '../../reference/reference_process.mjs';
import { integerOption, main, readArguments, root, StepError } from '../../toolchain/steps.mjs';
import { ensureTrainedModel, isTrainedName, trainedNames } from '../../trained_model.mjs';
import { inEvaluationNode } from '../live/evaluation_node.mjs';
import { developersPage, updatePage } from '../update_page.mjs';
import { ensureScoringEnvironment } from './environment.mjs';
import { captionedIn, foundIn, heardIn } from './find.mjs';
import { recordingsOf, withWords } from './material.mjs';
import { captionsOf, rightSlices, rightWords, score, slicesOf } from './measure.mjs';
import { tablesOf } from './tables.mjs';

const usage = `npm run evaluate:speakers -- [options]

Who speaks when in 17 rendered conversations, in half a minute each of seven meetings and in these joined: diarization error rate by
pyannote.metrics, with what was missed, made up and confused, beside other pipelines; cost; and the speakers of words that a
trained model hears, in the recording and in live captions of the conversations. Needs a build, the shared recordings, and a Python (SUSURRUS_SCORING_PYTHON names one that has pyannote.metrics
and soundfile).

  --model FILE       networks to measure beside the package's (scripts/speakers_model.mjs writes them); may be repeated
  --variant NAME     simd or relaxed (relaxed)
  --words NAME       of ${trainedNames.join(', ')} (base), in q8_0, or none
  --captions NAME    as --words, for live captions (tiny.en)
  --minutes N        of conversations whose words are heard (all)
  --quick            simd, one conversation, one meeting, its words and a quarter of a minute of captions by tiny.en: whether it works
  --update           writes the tables into ${developersPage}

What was found and heard is kept in build/evaluate/results, so that a run that was stopped goes on.`;

/**
 * @typedef {{ who: string; recording: import('./material.mjs').Recording; found: Awaited<ReturnType<typeof foundIn>>[number];
 *   score: Awaited<ReturnType<typeof score>>; slices: ReturnType<typeof rightSlices>; words?: ReturnType<typeof rightWords>;
 *   captions?: ReturnType<typeof captionsOf> }} Measured
 */

const packaged = join(root, 'models/speakers.apr');
const packagedName = 'Susurrus';

function readOptions() {
  const { values } = readArguments({
    options: {
      model: { type: 'string', multiple: true, default: [] },
      variant: { type: 'string', default: 'relaxed' },
      words: { type: 'string', default: 'base' },
      captions: { type: 'string', default: 'tiny.en' },
      minutes: { type: 'string' },
      quick: { type: 'boolean', default: false },
      update: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.quick) Object.assign(values, { variant: 'simd', words: 'tiny.en', minutes: '0' });
  if (!['simd', 'relaxed'].includes(values.variant)) {
    throw new StepError(`--variant: not ${values.variant} but simd or relaxed.`);
  }
  for (const name of ['words', 'captions']) {
    if (values[name] === 'none' || isTrainedName(values[name])) continue;
    const known = trainedNames.join(', ');
    throw new StepError(`--${name}: not ${values[name]} but of ${known}, or none.`);
  }
  const models = [packaged, ...values.model.map((path) => resolve(path))];
  const lacking = models.find((path) => !existsSync(path));
  if (lacking) throw new StepError(`${lacking} is not there.`);
  return { ...values, models, minutes: integerOption('minutes', values.minutes, 0) ?? Infinity };
}

/** Segments by the recording's name. */
async function heardWords({ words, minutes, variant }, recordings) {
  if (words === 'none') return new Map();
  const chosen = withWords(recordings, minutes);
  const heard = await heardIn(await ensureTrainedModel({ name: words }), variant, chosen);
  return new Map(chosen.map(({ name }, i) => [name, heard[i].segments]));
}

/** Words of live captions by the conversation's name. */
async function captionedWords({ captions, minutes, variant, quick }, recordings) {
  if (captions === 'none') return new Map();
  const all = recordings.filter(({ set }) => set === 'conversations');
  const chosen = quick ? all : withWords(all, minutes);
  const path = await ensureTrainedModel({ name: captions });
  const heard = await captionedIn(path, variant, chosen, quick ? 15 : Infinity);
  return new Map(chosen.map(({ name }, i) => [name, heard[i].words]));
}

async function evaluate(options) {
  const python = await ensureScoringEnvironment();
  const { assignSpeakers } = await import('../../../dist/speakers.node.mjs');
  const recordings = await recordingsOf(python, options.quick);
  const found = [];
  for (const model of options.models) {
    found.push(await foundIn(model, options.variant, recordings));
  }
  const heard = await heardWords(options, recordings);
  const captions = await captionedWords(options, recordings);
  const worker = new ReferenceProcess(python, [
    join(import.meta.dirname, 'python/score_worker.py'),
  ]);
  /** @type {Measured[]} */
  const rows = [];
  const captioned = async (recording, words, whose, names) => {
    const asFile = whose(words.map(({ start, end }) => ({ start, end, text: '' })));
    const last = words.filter((word) => word.last !== undefined);
    const turns = last.map(({ start, end, last: speaker }) => ({ start, end, speaker }));
    const scored = await score(worker, recording, turns);
    return captionsOf(words, asFile, recording.truth, names, scored.names);
  };
  const measured = async (who, recording, one) => {
    const { truth, name } = recording;
    const whose = (segments) =>
      assignSpeakers({ segments }, { turns: one.turns, speakers: [] }).segments;
    const scored = await score(worker, recording, one.turns);
    const slices = slicesOf(truth);
    const segments = heard.get(name);
    // A stream has the package's networks.
    const shown = who === packagedName ? captions.get(name) : undefined;
    return {
      ...{ who, recording, found: one, score: scored },
      slices: rightSlices(slices, whose(slices), scored.names),
      words:
        segments &&
        rightWords(
          whose(segments).flatMap(({ words }) => words),
          truth,
          scored.names,
        ),
      captions: shown && (await captioned(recording, shown, whose, scored.names)),
    };
  };
  try {
    for (const [i, model] of options.models.entries()) {
      const who = i === 0 ? packagedName : `${packagedName}, ${basename(model, '.apr')}`;
      for (const [at, recording] of recordings.entries()) {
        rows.push(await measured(who, recording, found[i][at]));
      }
    }
  } finally {
    worker.close();
  }
  const tables = tablesOf(rows);
  console.log(Object.values(tables).join('\n\n'));
  if (options.update) await updatePage(tables);
}

await main(async () => {
  if (process.argv.includes('--help')) return console.log(usage);
  const options = readOptions();
  // Node 20 computes simd alike at all times.
  if (options.variant === 'relaxed' && !(await inEvaluationNode())) return;
  await evaluate(options);
});
