// npm run test:reference -- --engine april: streams of .april models beside the released april-asr, on drawn networks, sound and
// feeding. Type, tokens, times and flags must be equal, logits within a tolerance.
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { writeRandomApril } from '../random_april.mjs';
import { findOnPath, root, run, step } from '../toolchain/steps.mjs';
import { wavSamples } from '../wav_samples.mjs';
import { Random } from './random.mjs';
import { NoReference, referenceFolder } from './setup.mjs';

const shared = join(root, '../shared');
const requirements = join(import.meta.dirname, 'april-asr.txt');
const worker = join(import.meta.dirname, 'python/april_worker.py');
const logitTolerance = 5e-3;
const mostSeconds = 12;
const sampleRate = 16000;
const drawnNetworks = 24;

/** The package's folder. */
async function ensureEngine(python) {
  const folder = join(referenceFolder, 'april-asr');
  const stamp = join(folder, 'installed');
  const wanted = readFileSync(requirements, 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return folder;
  rmSync(folder, { recursive: true, force: true });
  const pip = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-deps'];
  const options = ['--require-hashes', '--target', folder, '-r', requirements];
  try {
    await step('installing april-asr', () =>
      run(python, [...pip, ...options], { what: 'pip install april-asr' }),
    );
  } catch (error) {
    throw new NoReference(error.message, 'It runs on Linux on x86-64 alone.');
  }
  writeFileSync(stamp, wanted);
  return folder;
}

/** A question, then its answer. */
class Engine {
  #child;
  #answers;

  constructor(python, folder) {
    const stdio = ['pipe', 'pipe', 'inherit'];
    this.#child = spawn(python, [worker, folder], {
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
      stdio,
    });
    this.#answers = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  async ask(question) {
    this.#child.stdin.write(`${JSON.stringify(question)}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error('april-asr ended.');
    return JSON.parse(value);
  }

  close() {
    this.#child.stdin.end();
  }
}

function sharedModels() {
  const folders = ['april-digits', 'april-reference'].map((name) => join(shared, name));
  return folders.filter(existsSync).flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.april'))
      .map((name) => join(folder, name)),
  );
}

function drawnModels(seed, folder) {
  return Array.from({ length: drawnNetworks }, (_, i) => {
    const random = new Random(`${seed}/network ${i}`);
    const path = join(folder, `network-${i}.april`);
    writeRandomApril(path, {
      layers: random.integer(1, 4),
      hidden: 8 * random.integer(1, 8),
      projection: 8 * random.integer(1, 6),
      tokens: random.integer(3, 300),
      seed: random.integer(1, 2 ** 30),
    });
    return path;
  });
}

function recordings() {
  const folder = join(shared, 'recordings/audio');
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => /\.wav$/.test(name)) : [];
  const paths = files.map((name) => join(folder, name));
  return [join(root, 'web/demo/sentences.wav'), ...paths].map((path) =>
    Int16Array.from(wavSamples(readFileSync(path)), (sample) => Math.round(32767 * sample)),
  );
}

/** A part of a recording, or noise, with silence before and behind it. */
function drawSound(random, sounds) {
  const speech = random.chance(0.85)
    ? random.pick(sounds)
    : Int16Array.from({ length: 3 * sampleRate }, () => random.integer(-6000, 6000));
  const length = random.integer(1, Math.min(speech.length, mostSeconds * sampleRate));
  const from = random.integer(0, speech.length - length);
  const before = random.weighted([
    [2, 0],
    [1, random.integer(1, 3 * sampleRate)],
  ]);
  const sound = new Int16Array(before + length + random.integer(0, 2 * sampleRate));
  sound.set(speech.subarray(from, from + length), before);
  return sound;
}

function drawFeeding(random, count) {
  const most = random.pick([1, 7, 160, 1600, 5000, count]);
  const least = most === 1 ? 1 : Math.ceil(most / 20);
  const flush = random.chance(0.5) ? 0.3 * sampleRate : Infinity;
  const feeding = [];
  let sinceFlush = 0;
  // Single samples take their time: of those, a second.
  for (let at = 0; at < count;) {
    const size = at < sampleRate || most > 160 ? random.integer(least, most) : 1600;
    const to = Math.min(count, at + size);
    feeding.push(['audio', at, to]);
    sinceFlush += to - at;
    at = to;
    if (sinceFlush > flush && random.chance(0.1)) {
      feeding.push(['flush']);
      sinceFlush = 0;
    }
  }
  return [...feeding, ['flush']];
}

/** Once the reader has taken the events that wait. */
async function settled(events) {
  for (let before = -1; before !== events.length;) {
    before = events.length;
    await new Promise((turn) => setImmediate(turn));
  }
  return events.length;
}

async function ours(model, sound, feeding) {
  const stream = model.stream({ frontEnd: 'april-asr-0.0.4' });
  const events = [];
  const flushes = [];
  const reading = (async () => {
    for await (const event of stream) events.push(event);
  })();
  for (const [what, from, to] of feeding) {
    if (what === 'audio') await stream.feed(sound.subarray(from, to));
    else {
      await stream.flush();
      flushes.push(await settled(events));
    }
  }
  await stream.close();
  await reading;
  const types = { partial: 1, final: 2, silence: 4 };
  return {
    flushes,
    events: events.map(({ type, tokens = [] }) => ({
      type: types[type],
      tokens: tokens.map(({ text }) => text),
      times: tokens.map(({ time }) => Math.round(1000 * time)),
      flags: tokens.map(({ beginsWord, endsSentence }) => beginsWord + 2 * endsSentence),
      scores: tokens.map(({ score }) => score),
    })),
  };
}

/** The engine's clock also counts the silence that a flush puts behind the sound: the same difference until the next flush. */
function difference(own, reference) {
  let padding = 0;
  let isKnown = true;
  let largest = 0;
  for (const [i, event] of own.events.entries()) {
    const other = reference.events[i];
    if (own.flushes.includes(i)) isKnown = false;
    if (other && !isKnown && event.times.length > 0 && other.times.length > 0) {
      padding = other.times[0] - event.times[0];
      isKnown = true;
    }
    const times = event.times.map((time) => time + padding);
    for (const [name, value] of Object.entries({ ...event, times })) {
      if (name === 'scores' || JSON.stringify(value) === JSON.stringify(other?.[name])) continue;
      return {
        text: `event ${i}, ${name}: ${JSON.stringify([value, other?.[name]]).slice(0, 300)}`,
      };
    }
    for (const [k, score] of event.scores.entries()) {
      largest = Math.max(largest, Math.abs(score - other.scores[k]));
    }
  }
  if (own.events.length !== reference.events.length) {
    return { text: `${own.events.length} events, not ${reference.events.length}` };
  }
  if (largest > logitTolerance) return { text: `logits differ by ${largest.toExponential(1)}` };
  return { largest };
}

/** @param {{ seed: string; indices: readonly number[]; variant: string }} asked */
export async function testApril({ seed, indices, variant }) {
  const python = findOnPath('python3');
  if (!python) throw new NoReference('There is no Python here.');
  mkdirSync(referenceFolder, { recursive: true });
  const folder = await ensureEngine(python);
  const scratch = mkdtempSync(join(referenceFolder, 'april-'));
  const engine = new Engine(python, folder);
  const { loadModel } = await import('../../dist/node.mjs');
  let equal = 0;
  let events = 0;
  let largest = 0;
  try {
    const models = [...drawnModels(seed, scratch), ...sharedModels()];
    const sounds = recordings();
    for (const [done, index] of indices.entries()) {
      if (done > 0 && done % 50 === 0) console.log(`· ${done} of ${indices.length} cases`);
      const random = new Random(`${seed}/april ${index}`);
      const path = random.pick(models);
      const sound = drawSound(random, sounds);
      const feeding = drawFeeding(random, sound.length);
      const audio = join(scratch, 'sound.pcm');
      writeFileSync(audio, new Uint8Array(sound.buffer));
      const reference = await engine.ask({ model: path, audio, feeding });
      const model = await loadModel(path, { variant });
      const found = difference(await ours(model, sound, feeding), reference);
      model.dispose();
      events += reference.events.length;
      if (found.text === undefined) {
        ++equal;
        largest = Math.max(largest, found.largest);
      } else {
        const name = relative(shared, path).startsWith('..') ? path : relative(shared, path);
        console.log(`case ${index}, ${name}, ${sound.length} samples: ${found.text}`);
      }
    }
  } finally {
    engine.close();
    rmSync(scratch, { recursive: true });
  }
  console.log(
    `april-asr 0.0.4: ${indices.length} cases, ${events} callbacks, ${equal} cases equal; ` +
      `logits differ by ${largest.toExponential(1)} at most`,
  );
  process.exitCode = equal === indices.length ? 0 : 1;
}
