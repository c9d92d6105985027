// Sounds without speech, of any length, 16 kHz mono: the same samples each time.
import { whisper } from '../../facts/read_facts.mjs';
import { Random } from '../../reference/random.mjs';
import { colours } from '../speech/noise.mjs';
const { sampleRate } = whisper;

const amplitude = (decibels) => 10 ** (decibels / 20);
const hertzOf = (midi) => 440 * 2 ** ((midi - 69) / 12);

/** @type {(seconds: number, sampleAt: (index: number) => number) => Float32Array} */
function fill(seconds, sampleAt) {
  const samples = new Float32Array(Math.round(seconds * sampleRate));
  for (let i = 0; i < samples.length; ++i) samples[i] = sampleAt(i);
  return samples;
}

/** What makes a colour's root mean square 1. */
const gains = { white: Math.sqrt(3), pink: 0.581, brown: 0.245 };

/** Returns the next sample of noise so many decibels below a root mean square of 1. */
function noiseSource(colour, decibels, random) {
  const next = colours[colour](random);
  const gain = gains[colour] * amplitude(decibels);
  return () => gain * next();
}

const noise = (colour, decibels) => (seconds, random) =>
  fill(seconds, noiseSource(colour, decibels, random));

/** 50 Hz and its harmonics, over noise 30 dB below. */
function hum(seconds, random) {
  const next = noiseSource('white', -66, random);
  const harmonics = [1, 0.3, 0.5, 0.1, 0.25, 0.05, 0.12].map((gain, i) => [gain, 50 * (i + 1)]);
  return fill(seconds, (i) =>
    harmonics.reduce(
      (sum, [gain, hertz]) => sum + 0.02 * gain * Math.sin((2 * Math.PI * hertz * i) / sampleRate),
      next(),
    ),
  );
}

/** Brown and white noise whose level goes to a new place between `low` and `high` decibels every few `seconds`. */
const drifting = (low, high, least, most) => (seconds, random) => {
  const [rumble, hiss] = ['brown', 'white'].map((colour) => noiseSource(colour, 0, random));
  let [level, target, left, length] = [low, low, 0, 1];
  return fill(seconds, () => {
    if (left-- <= 0) {
      [level, target] = [target, random.uniform(low, high)];
      left = length = Math.round(random.uniform(least, most) * sampleRate);
    }
    const decibels = target + ((level - target) * Math.max(left, 0)) / length;
    return amplitude(decibels) * (0.8 * rumble() + 0.2 * hiss());
  });
};

/** Adds `sampleAt(seconds since begin)`, `length` seconds of it, from second `begin` on. */
function add(samples, begin, length, sampleAt) {
  const first = Math.round(begin * sampleRate);
  const end = Math.min(samples.length, first + Math.round(length * sampleRate));
  for (let i = first; i < end; ++i) samples[i] += sampleAt((i - first) / sampleRate);
}

/** A struck thing: `parts` of [hertz, decay a second], a click in front. */
function knock(samples, begin, gain, parts, random) {
  add(
    samples,
    begin,
    0.6,
    (time) =>
      parts.reduce(
        (sum, [hertz, decay]) =>
          sum + Math.exp(-decay * time) * Math.sin(2 * Math.PI * hertz * time),
        time < 0.002 ? random.uniform(-1, 1) : 0,
      ) *
      (gain / parts.length),
  );
}

/** Keys, taps and knocks on wood, alone and in groups, over the hiss of a microphone. */
function knocks(seconds, random) {
  const samples = noise('pink', -62)(seconds, random);
  for (let at = random.uniform(0, 5); at < seconds; at += random.uniform(0.3, 12)) {
    const parts = random.list(3, () => [random.uniform(90, 2500), random.uniform(20, 120)]);
    const gap = random.uniform(0.08, 0.5);
    const count = random.integer(1, 8);
    const gain = random.uniform(0.05, 0.6);
    for (let i = 0; i < count; ++i, at += gap * random.uniform(0.8, 1.2)) {
      knock(samples, at, gain * random.uniform(0.5, 1), parts, random);
    }
  }
  return samples;
}

/** A tone with harmonics, an attack and a decay. */
function note(samples, begin, length, midi, gain, { harmonics, attack, decay, vibrato = 0 }) {
  const hertz = hertzOf(midi);
  add(samples, begin, length + 0.1, (time) => {
    const release = Math.max(0, Math.min(1, (length + 0.1 - time) / 0.1));
    const envelope = Math.min(1, time / attack) * Math.exp(-decay * time) * release;
    const phase = 2 * Math.PI * hertz * time + vibrato * Math.sin(2 * Math.PI * 5.5 * time);
    let sum = 0;
    for (let i = 0; i < harmonics.length && hertz * (i + 1) < 7500; ++i) {
      sum += harmonics[i] * Math.sin((i + 1) * phase);
    }
    return gain * envelope * sum;
  });
}

const piano = { harmonics: [1, 0.5, 0.3, 0.15, 0.1, 0.05], attack: 0.005, decay: 2.5 };
const organ = { harmonics: [1, 0.6, 0, 0.3, 0, 0, 0, 0.15], attack: 0.03, decay: 0.05 };
const strings = { harmonics: [1, 0.7, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1], attack: 0.15, decay: 0.2 };
const flute = { harmonics: [1, 0.25, 0.08], attack: 0.06, decay: 0.1, vibrato: 0.35 };

const scale = [0, 2, 4, 5, 7, 9, 11];
const degree = (key, index) => key + 12 * Math.floor(index / 7) + scale[((index % 7) + 7) % 7];

/** A melody that walks through a key, in notes of one to four half beats. */
const melody =
  (voice, gain = 0.12) =>
  (samples, begin, end, key, beat, random) => {
    let index = 7;
    for (let at = begin; at < end;) {
      const length = (random.integer(1, 4) * beat) / 2;
      index = Math.max(2, Math.min(16, index + random.integer(-3, 3)));
      if (random.chance(0.85)) note(samples, at, length, degree(key, index), gain, voice);
      at += length;
    }
  };

/** Triads and sevenths of a key, one for each bar. */
const chords =
  (voice, gain = 0.07) =>
  (samples, begin, end, key, beat, random) => {
    for (let at = begin; at < end; at += 4 * beat) {
      const foot = random.pick([0, 3, 4, 5, 1]) - 7;
      for (const step of random.chance(0.3) ? [0, 2, 4, 6] : [0, 2, 4]) {
        note(samples, at, 4 * beat, degree(key, foot + step), gain, voice);
      }
    }
  };

function drums(samples, begin, end, _key, beat, random) {
  for (let at = begin, i = 0; at < end; at += beat / 2, ++i) {
    if (i % 4 === 0 || random.chance(0.1)) {
      add(samples, at, 0.3, (time) => {
        const phase = 2 * Math.PI * (45 * time + 1.6 * (1 - Math.exp(-40 * time)));
        return 0.4 * Math.exp(-9 * time) * Math.sin(phase);
      });
    }
    const brush = i % 4 === 2 ? [0.25, 18] : [0.06, 60];
    add(samples, at, 0.25, (time) => brush[0] * Math.exp(-brush[1] * time) * random.uniform(-1, 1));
  }
}

/** Pieces of half a minute to two, each in a key and a tempo of its own, with a second or two between them. */
const music =
  (...ensembles) =>
  (seconds, random) => {
    const samples = noise('white', -75)(seconds, random);
    for (let at = 0; at < seconds; at += random.uniform(1, 2.5)) {
      const end = Math.min(seconds, at + random.uniform(30, 120));
      const key = random.integer(48, 62);
      const beat = 60 / random.uniform(60, 150);
      for (const play of random.pick(ensembles)) play(samples, at, end, key, beat, random);
      at = end;
    }
    return samples;
  };

/** @type {Record<string, (seconds: number, random: Random) => Float32Array>} */
const sounds = {
  'digital silence': (seconds) => fill(seconds, () => 0),
  'white noise, −30 dB': noise('white', -30),
  'white noise, −60 dB': noise('white', -60),
  'pink noise, −20 dB': noise('pink', -20),
  'pink noise, −50 dB': noise('pink', -50),
  'brown noise, −25 dB': noise('brown', -25),
  'mains hum': hum,
  'a room': drifting(-62, -52, 20, 90),
  'wind and traffic': drifting(-55, -25, 1, 12),
  'clicks and knocks': knocks,
  'music: melodies': music([melody(piano)], [melody(flute)], [melody(strings)]),
  'music: chords': music([chords(piano)], [chords(organ)], [chords(strings)]),
  'music: drums': music([drums]),
  'music: all together': music(
    [melody(flute), chords(piano), drums],
    [melody(piano), chords(strings)],
    [melody(strings), chords(organ), drums],
  ),
};

export const soundNames = Object.keys(sounds);

/** Samples of a sound by its name. @type {(name: string, seconds: number) => Float32Array} */
export const nothing = (name, seconds) => sounds[name](seconds, new Random(`nothing/${name}`));
