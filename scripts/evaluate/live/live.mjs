// npm run evaluate:live: live captions in figures, beside a loop around faster-whisper and an .april model.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { integerOption, main, readArguments, root, StepError } from '../../toolchain/steps.mjs';
import { trainedNames } from '../../trained_model.mjs';
import { ReferenceProcess } from '../../reference/reference_process.mjs';
import { normalisedWords } from '../normalised_words.mjs';
import { updatePage } from '../update_page.mjs';
import { RealClock, VirtualClock, wallSeconds } from './clock.mjs';
import { differences } from './differences.mjs';
import { inEvaluationNode } from './evaluation_node.mjs';
import { inventedWords } from './invented.mjs';
import { measure } from './measure.mjs';
import { sounds } from './material.mjs';
import { measureNaturalSpeech } from './natural_run.mjs';
import { naturalTables } from './natural_tables.mjs';
import { soak } from './soak.mjs';
import { normaliserWorker, systems } from './systems.mjs';
import { missedGoals, soundTable, systemTable } from './tables.mjs';
import { truthTimes } from './truth_times.mjs';

const usage = `npm run evaluate:live -- [options]

Live captions at 1×. Sound arrives on a virtual clock, which goes on by the time that the recogniser takes: nothing waits. Needs a build
and trained models. Clips: trained tiny.en, an .april model and a loop around faster-whisper, on synthesised and other clips; needs Python,
flite, espeak-ng and sox. Natural: people who talk, recordings whose words are known, seven half-minutes of meetings, and conversations
of real voices; needs sox, and for the conversations, which are left out without them, a Python with numpy and soundfile
(SUSURRUS_LIVE_PYTHON names it).

  --tables LIST      of clips, natural (both)
  --model LIST       for natural speech, of ${trainedNames.join(', ')} (tiny.en)
  --conversations N  minutes of them, in whole recordings of about four (67, which is all); 0 leaves them out
  --stories N        so many paragraphs of the stories that npm run evaluate:chunks hears, too, in four languages (0)
  --systems LIST     for clips, of ${Object.keys(systems).join(', ')} (all)
  --variants LIST    engines (relaxed); of simd, relaxed
  --sounds TEXT      only recordings whose names contain it; those of natural speech have their set before the name
  --recordings N     at most so many recordings
  --minutes N        of synthesised speech at each level of noise (3)
  --nothing N        minutes each of silence, noise and music (1), one at most for faster-whisper, which is slower than sound; 0 leaves
                     them out
  --step SECONDS     of model.stream(); its own default without it
  --options JSON     further options of model.stream()
  --block MS         of the blocks in which sound arrives (80)
  --clock NAME       wall, or processor: work takes its processor time, on a machine with other work (wall)
  --real-time        truly waits, as a check of the virtual clock
  --text             prints where live text, revised if it was, differs from offline text
  --soak HOURS       instead: one stream at full speed for so many hours of sound, with one system
  --update           writes the tables of this run into docs/dev/accuracy.md, or the soak's into docs/dev/performance.md

Everything measured is in build/evaluate/live.json. Words are the same in each run unless the machine is too slow for them.`;

function listOption(name, text, known) {
  const names = text.split(',');
  const unknown = names.filter((one) => !known.includes(one));
  if (unknown.length === 0) return names;
  throw new StepError(`--${name}: not ${unknown.join(', ')} but of ${known.join(', ')}.`);
}

function positive(name, text) {
  const value = Number(text);
  if (value > 0) return value;
  throw new StepError(`--${name} wants a number above 0; not "${text}".`);
}

function readOptions() {
  const { values } = readArguments({
    options: {
      tables: { type: 'string', default: 'clips,natural' },
      model: { type: 'string', default: 'tiny.en' },
      conversations: { type: 'string', default: '67' },
      stories: { type: 'string', default: '0' },
      systems: { type: 'string', default: Object.keys(systems).join() },
      variants: { type: 'string', default: 'relaxed' },
      sounds: { type: 'string', default: '' },
      recordings: { type: 'string' },
      minutes: { type: 'string', default: '3' },
      nothing: { type: 'string', default: '1' },
      step: { type: 'string' },
      options: { type: 'string', default: '{}' },
      block: { type: 'string', default: '80' },
      clock: { type: 'string', default: 'wall' },
      'real-time': { type: 'boolean', default: false },
      text: { type: 'boolean', default: false },
      soak: { type: 'string' },
      update: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const [clock] = listOption('clock', values.clock, ['wall', 'processor']);
  return {
    tables: listOption('tables', values.tables, ['clips', 'natural']),
    models: listOption('model', values.model, trainedNames),
    conversations: integerOption('conversations', values.conversations, 0),
    stories: integerOption('stories', values.stories, 0),
    clock: values['real-time'] ? 'real' : clock,
    names: listOption('systems', values.systems, Object.keys(systems)),
    variants: listOption('variants', values.variants, ['simd', 'relaxed']),
    soundName: values.sounds,
    recordings: integerOption('recordings', values.recordings, 1) ?? Infinity,
    seconds: 60 * positive('minutes', values.minutes),
    nothing: integerOption('nothing', values.nothing, 0, 600),
    streamOptions: {
      ...(values.step && { step: positive('step', values.step) }),
      ...JSON.parse(values.options),
    },
    blockSeconds: integerOption('block', values.block, 10, 10_000) / 1000,
    clockOf: values['real-time']
      ? () => new RealClock()
      : (stream) =>
          new VirtualClock(clock === 'wall' ? wallSeconds : () => stream.processorSeconds()),
    soak: values.soak && positive('soak', values.soak),
    ...{ text: values.text, update: values.update, help: values.help },
  };
}

function tellDifferences({ sound, texts }) {
  for (const { said, offline, live } of differences(texts)) {
    console.log(`${sound}\n  said:    ${said}\n  offline: ${offline}\n  live:    ${live}`);
  }
}

/** Every recogniser on all that it hears. */
async function measureAll(options, all, normalised) {
  const rows = [];
  for (const name of options.names) {
    const { title, hears, isOwn, load } = systems[name];
    for (const variant of isOwn ? options.variants : ['native']) {
      const system = await load(variant, options.streamOptions);
      try {
        const row = { title, variant, isOwn, hears, sounds: [], invented: {} };
        const heard = all.filter(({ kind }) => kind === hears).slice(0, options.recordings);
        // What is compiled first is not measured.
        if (heard[0]) {
          const samples = heard[0].samples.slice(0, 80_000);
          await measure(
            system,
            { ...heard[0], samples },
            { ...options, normalised, clockOf: () => new VirtualClock(wallSeconds) },
          );
        }
        for (const sound of heard) {
          const measured = await measure(system, sound, { ...options, normalised });
          row.sounds.push(measured);
          console.error(
            `${title}, ${variant}, ${sound.name}: ${measured.offlineErrors} and ${measured.liveErrors} word errors of ${measured.words}`,
          );
          for (const fault of measured.faults.slice(0, 10)) console.error(`  ${fault}`);
          if (measured.faults.length > 10)
            console.error(`  and ${measured.faults.length - 10} more`);
          if (options.text) tellDifferences(measured);
        }
        if (options.nothing > 0) {
          const minutes = isOwn ? options.nothing : 1;
          row.invented = await inventedWords(system, minutes, (sound, text) => {
            if (text) console.error(`${title}, ${variant}, ${sound}:${text}`);
          });
        }
        rows.push(row);
      } finally {
        system.close();
      }
    }
  }
  return rows;
}

/** The rows about clips, and their tables. */
async function clips(options, timesOf) {
  const normaliser = new ReferenceProcess(...(await normaliserWorker()));
  try {
    const all = (await sounds(options.seconds, timesOf)).filter(({ name }) =>
      name.includes(options.soundName),
    );
    const rows = await measureAll(options, all, (texts) => normalisedWords(normaliser, texts));
    const tables = {
      live: systemTable(rows),
      ...(all.length > 0 && { 'live-recordings': soundTable(rows) }),
    };
    return { rows, tables };
  } finally {
    normaliser.close();
  }
}

async function evaluate(options) {
  const truth = await truthTimes();
  try {
    const made = options.tables.includes('clips')
      ? await clips(options, truth.timesOf)
      : { rows: [], tables: {} };
    const natural = options.tables.includes('natural')
      ? await measureNaturalSpeech(options, truth.timesOf)
      : [];
    const folder = join(root, 'build/evaluate');
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, 'live.json'),
      JSON.stringify({ clips: made.rows, natural }, null, 1),
    );
    const tables = { ...made.tables, ...naturalTables(natural) };
    console.log(Object.values(tables).join('\n\n'));
    for (const sentence of missedGoals(made.rows)) console.log(`Missed: ${sentence}.`);
    if (options.update) await updatePage(tables);
  } finally {
    await truth.close();
  }
}

await main(async () => {
  const options = readOptions();
  if (options.help) return console.log(usage);
  // Node 20 computes simd alike at all times.
  if (options.variants.includes('relaxed') && !(await inEvaluationNode())) return;
  await (options.soak ? soak(options) : evaluate(options));
});
