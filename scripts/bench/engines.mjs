// How long a recording takes with one engine, with two threads, and with several engines: in Node, and in pages with and without
// cross-origin isolation.
//
//   node scripts/bench/engines.mjs [--minutes 1,10] [--places node,pinned,chromium,firefox] [--with thread,threads,isolated,engines]
//       [--engines 2] [--runs 1] [--json] MODEL.apr... AUDIO.wav
//
// The recording (16 kHz, mono, 16 bits) follows itself, half a second between, until it is so long. Processor time is that of all
// processes that took part, memory what the largest of them has to itself at most; Linux alone tells these.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, extname, join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { launchChromium } from '../browsers/chromium.mjs';
import { launchFirefox } from '../browsers/firefox.mjs';
import { medians } from '../statistics.mjs';
import { main, readArguments, root, StepError } from '../toolchain/steps.mjs';
import { ensureTools } from '../toolchain/tools.mjs';
import { startServer } from './browser_place.mjs';
import { openNode } from './node_place.mjs';
import { progress } from './progress.mjs';
import { formatTable, number } from './table.mjs';

const folder = join(root, 'build/bench/engines');
const bytesPerSecond = 32_000;
const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** The path of a recording of so many minutes. */
function longRecording(path, minutes) {
  const file = readFileSync(path);
  const samples = file.subarray(file.indexOf('data', 12, 'latin1') + 8);
  const part = Buffer.concat([samples, Buffer.alloc(bytesPerSecond / 2)]);
  const size = Math.round(minutes * 60) * bytesPerSecond;
  const data = Buffer.alloc(size, part);
  const header = Buffer.alloc(44);
  header.write('RIFF');
  header.writeUInt32LE(36 + size, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(16_000, 24);
  header.writeUInt32LE(bytesPerSecond, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(size, 40);
  mkdirSync(folder, { recursive: true });
  const made = join(folder, `${basename(path, '.wav')}-${minutes}.wav`);
  writeFileSync(made, Buffer.concat([header, data]));
  return made;
}

/** Ticks of 10 ms and private MB of the processes that this one has started, and theirs. */
function processesBelow(pid = process.pid) {
  const parents = new Map();
  const ticks = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      parents.set(Number(name), Number(fields[1]));
      ticks.set(Number(name), Number(fields[11]) + Number(fields[12]));
    } catch {
      // It has ended.
    }
  }
  const isBelow = (one) => one !== undefined && (one === pid || isBelow(parents.get(one)));
  return [...ticks].filter(([one]) => one !== pid && isBelow(one));
}

function privateMegabytes(pid) {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const kilobytes = [...rollup.matchAll(/^Private_(?:Clean|Dirty): +(\d+)/gm)];
    return kilobytes.reduce((sum, [, each]) => sum + Number(each) * 1024, 0) / 1e6;
  } catch {
    return 0;
  }
}

/** What `work` comes to, with the processor seconds and the memory that it took meanwhile. */
async function watched(work) {
  if (process.platform !== 'linux') return work;
  const before = new Map(processesBelow());
  const spent = new Map();
  let memory = 0;
  let isDone = false;
  const finished = work.finally(() => (isDone = true));
  finished.catch(() => undefined);
  while (!isDone) {
    for (const [pid, ticks] of processesBelow()) {
      spent.set(pid, ticks - (before.get(pid) ?? 0));
      memory = Math.max(memory, privateMegabytes(pid));
    }
    await Promise.race([finished.catch(() => undefined), pause(250)]);
  }
  const processor = [...spent.values()].reduce((sum, each) => sum + each, 0) / 100;
  return { ...(await finished), processor, memory };
}

/** A browser in which each job has a page of its own. */
async function openPages(browser) {
  const servers = { true: await startServer(isolation), false: await startServer({}) };
  return {
    async run(job) {
      const page = await browser.open(servers[job.isIsolated].address);
      try {
        // The page is asked now and then, since a browser may limit how long a script runs.
        await page.run(`
          const { measureEngines } = await import('/scripts/bench/measure_engines.mjs');
          const place = {
            packageEntry: '/dist/index.mjs',
            importModule: (path) => import(path),
            address: (path) => location.origin + '/' + path,
            recording: async (path) => (await fetch('/' + path)).blob(),
          };
          measureEngines(${JSON.stringify(job)}, place).then(
            (result) => (globalThis.answer = { result }),
            (error) => (globalThis.answer = { error: String(error?.stack ?? error) }));`);
        for (;;) {
          const answer = await page.run('return globalThis.answer ?? null');
          if (answer?.error) throw new StepError(`A measurement failed: ${answer.error}`);
          if (answer) return answer.result;
          await pause(250);
        }
      } finally {
        await page.close();
      }
    },
    async close() {
      await browser.close();
      for (const server of Object.values(servers)) server.close();
    },
  };
}

const places = {
  node: () => openNode(process.execPath),
  pinned: () => openNode(process.execPath, 0),
  chromium: async () => openPages(await launchChromium((await ensureTools(['chromium'])).chromium)),
  firefox: async () => openPages(await launchFirefox()),
};

const kinds = ['thread', 'threads', 'isolated', 'engines'];
/** What each place is measured with, of the kinds that are asked for; pages that are not isolated have no threads. */
function settingsFor(asked, engineCounts) {
  const only = (kind, settings) => (asked.includes(kind) ? settings : []);
  const one = only('thread', [{ threads: 1, workers: 1, title: 'one thread' }]);
  const threads = only('threads', [{ threads: 2, workers: 1, title: 'two threads' }]);
  const several = only(
    'engines',
    engineCounts.map((workers) => ({ threads: 1, workers, title: `${workers} engines` })),
  );
  const isolated = [...threads, ...several].map((each) => ({ ...each, isIsolated: true }));
  const pages = [...one, ...several, ...only('isolated', isolated)];
  return { node: [...one, ...threads, ...several], pinned: one, chromium: pages, firefox: pages };
}

const titles = {
  node: 'Node',
  pinned: 'Node on one processor',
  chromium: 'Chromium',
  firefox: 'Firefox',
};

const listOf = (name, text, isKnown) =>
  text.split(',').map((each) => {
    if (isKnown(each)) return each;
    throw new StepError(`--${name}: not ${each}.`);
  });

await main(async () => {
  const { values, positionals } = readArguments({
    allowPositionals: true,
    options: {
      minutes: { type: 'string', default: '1,10' },
      places: { type: 'string', default: 'node,pinned,chromium,firefox' },
      with: { type: 'string', default: kinds.join(',') },
      engines: { type: 'string', default: '2' },
      runs: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
    },
  });
  const models = positionals.slice(0, -1).map((path) => relative(root, resolve(path)));
  if (models.length === 0) throw new StepError('MODEL.apr... AUDIO.wav');
  const minutes = listOf('minutes', values.minutes, (each) => Number(each) > 0);
  const names = listOf('places', values.places, (each) => each in places);
  const engineCounts = listOf('engines', values.engines, (each) => Number(each) > 1).map(Number);
  const settings = settingsFor(
    listOf('with', values.with, (each) => kinds.includes(each)),
    engineCounts,
  );
  const rows = [];
  for (const name of names) {
    const place = await places[name]();
    try {
      for (const model of models) {
        for (const each of minutes) {
          const recording = relative(root, longRecording(positionals.at(-1), Number(each)));
          const cases = settings[name].map((setting) => ({ setting, runs: [] }));
          for (let run = 0; run < Number(values.runs); ++run) {
            for (const { setting, runs } of cases) {
              progress(`${name}, ${model}, ${each} min, ${setting.title}`);
              const { isIsolated = false, threads, workers } = setting;
              const job = { kind: 'engines', model, recording, isIsolated, threads, workers };
              runs.push(await watched(place.run(job)));
            }
          }
          const texts = new Set(cases.flatMap(({ runs }) => runs.map(({ text }) => text)));
          for (const { setting, runs } of cases) {
            rows.push({
              ...{ model: basename(model, extname(model)), minutes: each, place: titles[name] },
              ...{ setting, variant: runs[0].variant, isSame: texts.size === 1, ...medians(runs) },
            });
          }
        }
      }
    } finally {
      await place.close();
    }
  }
  progress('');
  if (values.json) return console.log(JSON.stringify(rows, null, 2));
  const cell = (key, digits) => (row) => number(row[key], digits);
  const columns = [
    ['model', (row) => `${row.model}, ${row.variant}`, 'text'],
    ['minutes', (row) => row.minutes],
    ['place', (row) => row.place + (row.setting.isIsolated ? ', isolated' : ''), 'text'],
    ['with', (row) => row.setting.title, 'text'],
    ['load, s', cell('load', 2)],
    ['first text, s', cell('first', 2)],
    ['whole, s', cell('whole', 1)],
    ['processor, s', cell('processor', 1)],
    ['memory, MB', cell('memory')],
    ['text', (row) => (row.isSame ? 'equal' : 'differs'), 'text'],
  ];
  console.log(formatTable(rows, columns, 'markdown'));
});
