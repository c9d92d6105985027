// npm run test:reference -- --engine april: streams of .april models beside the released april-asr, on drawn networks, sound and
// feeding. Type, tokens, times and flags must be equal, logits within a tolerance.
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
import { writeRandomApril } from '../random_april.mjs';
import { findOnPath, root, run, step } from '../toolchain/steps.mjs';
import { wavSamples } from '../wav_samples.mjs';
import { asCallback, hear, inEngineTime } from './april_callbacks.mjs';
import { Random } from './random.mjs';
import { ReferenceProcess } from './reference_process.mjs';
import { NoReference, referenceFolder } from './setup.mjs';

const shared = join(root, '../shared');
const requirements = join(import.meta.dirname, 'april-asr.txt');
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
  // Feeding single samples is slow, so only a second of them is fed.
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

/** What differs, in words, or the largest difference of logits. */
function difference(own, reference) {
  for (const [i, callback] of own.entries()) {
    for (const name of ['type', 'tokens', 'times', 'flags']) {
      const value = callback[name];
      const other = reference[i]?.[name];
      if (JSON.stringify(value) === JSON.stringify(other)) continue;
      return { text: `event ${i}, ${name}: ${JSON.stringify([value, other]).slice(0, 300)}` };
    }
  }
  if (own.length !== reference.length) {
    return { text: `${own.length} events, not ${reference.length}` };
  }
  const differences = own.flatMap(({ scores }, i) =>
    scores.map((score, k) => Math.abs(score - reference[i].scores[k])),
  );
  const largest = differences.reduce((most, one) => Math.max(most, one), 0);
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
  const engine = new ReferenceProcess(python, ['april_worker.py', folder]);
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
      const reference = await engine.need({ command: 'run', model: path, audio, feeding });
      const model = await loadModel(path, { variant });
      const stream = model.stream({ frontEnd: 'april-asr-0.0.4' });
      const steps = feeding.map(([what, from, to]) =>
        what === 'audio' ? sound.subarray(from, to) : what,
      );
      const heard = await hear(stream, steps);
      model.dispose();
      const own = inEngineTime(heard.events.map(asCallback), reference.events, heard.flushes);
      const found = difference(own, reference.events);
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
