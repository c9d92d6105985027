// npm run evaluate:live -- --soak HOURS: one stream for hours, at full speed.
import { whisper } from '../../facts/read_facts.mjs';
import { markdownTable } from '../accuracy/table.mjs';
import { updatePage } from '../update_page.mjs';
import { clips, timed, withPauses } from './material.mjs';
import { FinalWords, placed, spread } from './soak_checks.mjs';
import { systems } from './systems.mjs';
import { truthTimes } from './truth_times.mjs';
const { sampleRate } = whisper;

const blockSamples = sampleRate / 2;
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/** What is counted from one line of the table to the next. */
const fresh = () => ({ words: 0, errors: 0, differences: [], misplaced: 0, outside: 0 });

function add(counts, { differences, ...numbers }) {
  for (const [name, value] of Object.entries(numbers)) counts[name] += value;
  counts.differences.push(...differences);
}

async function line(system, stream, hours, counts, events) {
  const { bias, most } = spread(counts.differences);
  const memory = (await system.memory?.()) ?? {};
  const own = (key) => (memory[key] === undefined ? '' : megabytes(memory[key]));
  return {
    'sound, h': hours.toFixed(2),
    'final events': events.finals,
    'word errors': `${((100 * counts.errors) / counts.words).toFixed(1)} %`,
    'times: median error, s': bias.toFixed(2),
    'of 95 %, s': most.toFixed(2),
    'words in another clip': counts.misplaced,
    'in none': counts.outside,
    'characters retracted': events.retracted,
    'engine heap, MB': own('heapBytes'),
    'at most, MB': own('heapPeakBytes'),
    'its memory, MB': own('wasmBytes'),
    'process, MB': megabytes(process.memoryUsage().rss),
    'processor s per s of sound': (stream.processorSeconds() / (hours * 3600)).toFixed(3),
  };
}

/** @param {{ names: string[]; variants: string[]; seconds: number; soak: number; streamOptions: object; update: boolean }} options */
export async function soak(options) {
  const { title, load } = systems[options.names[0]];
  const [variant] = options.variants;
  const truth = await truthTimes();
  const sound = withPauses(await timed(clips(5 * options.seconds), truth.timesOf), 'soak');
  await truth.close();
  const length = sound.samples.length / sampleRate;
  const system = await load(variant, options.streamOptions);
  const events = new FinalWords();
  const rows = [];
  try {
    const stream = await system.open((event) => events.take(event));
    const used = stream.processorSeconds();
    const counted = { processorSeconds: () => stream.processorSeconds() - used };
    const between = options.soak >= 2 ? 1 : options.soak / 8;
    let counts = fresh();
    let fed = 0;
    let checked = 0;
    const check = (until) => {
      for (; checked < until; ++checked) {
        const offset = checked * length;
        add(counts, placed(sound, offset, events.takeBefore(offset + length)));
      }
    };
    for (let pass = 0; fed < options.soak * 3600; ++pass) {
      for (let at = 0; at < sound.samples.length; at += blockSamples) {
        await stream.feed(sound.samples.subarray(at, at + blockSamples));
      }
      fed += length;
      // The last words of a pass may come in the next.
      check(pass);
      if (fed / 3600 >= between * (rows.length + 1) && counts.words > 0) {
        rows.push(await line(system, counted, fed / 3600, counts, events));
        counts = fresh();
        console.error(Object.values(rows.at(-1)).join(' | '));
      }
    }
    await stream.end();
    check(Math.round(fed / length));
    if (counts.words > 0) rows.push(await line(system, counted, fed / 3600, counts, events));
  } finally {
    system.close();
  }
  const table = markdownTable(rows, 0);
  console.log(
    `${title}, ${variant}: ${length.toFixed(0)} s of speech with pauses, again and again\n\n${table}`,
  );
  if (options.update) await updatePage({ 'live-soak': table }, 'docs/dev/performance.md');
}
