// A case drawn from a seed: function, model, audio, and options in the reference's own terms. An option that is absent
// keeps the reference's default. Temperature is always 0: what is drawn at others depends on torch's generator.
import { whisper } from '../facts/read_facts.mjs';

/** @import { AudioRecipe } from './audio.mjs' */
/** @import { Random } from './random.mjs' */
/**
 * @typedef {{
 *   readonly function: 'decode' | 'transcribe';
 *   readonly model: string;
 *   readonly audio: AudioRecipe;
 *   readonly options: Readonly<Record<string, unknown>>;
 * }} DrawnCase
 */

const maxText = {
  // Languages whose words are split without spaces, and some that use them.
  languages: ['en', 'zh', 'ja', 'th', 'lo', 'my', 'de', 'fr', 'ru', 'ar', 'su', 'haw', 'nn'],
  words: [
    ...[
      'Glossary',
      'whisper',
      'harbor',
      "it's",
      "don't",
      'Dr.',
      'ask',
      'not',
      'what',
      'country',
      '1961',
      '3.14',
    ],
    ...[
      'naïve',
      'Grüße',
      'où',
      'мир',
      'слово',
      '東京',
      '音声',
      '语音',
      'ภาษา',
      'مرحبا',
      '😀',
      'x²',
      '…',
      '—',
      '♪',
    ],
    ...[
      'can',
      'do',
      'for',
      'you;',
      '"quoted"',
      '(aside)',
      '[note]',
      'A-B',
      'e.g.',
      'words,',
      'end.',
      '¿qué?',
      '½',
    ],
  ],
};

/** Options absent from `entries` where the value is undefined. */
function given(entries) {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));
}

function text(random, wordCount) {
  const separators = [
    [20, ' '],
    [1, '  '],
    [1, '\n'],
    [2, ''],
  ];
  let made = random.chance(0.1) ? ' ' : '';
  for (let i = 0; i < wordCount; ++i) {
    made += random.pick(maxText.words) + random.weighted(separators);
  }
  return made;
}

/** A prompt: short, long enough to be cut, or as good as empty. */
function promptText(random) {
  const length = random.weighted([
    [6, () => random.integer(1, 12)],
    [2, () => random.integer(30, 90)],
    [2, () => random.integer(100, 250)],
  ])();
  return random.chance(0.06) ? random.pick(['', ' ', '\n ']) : text(random, length);
}

/** Ids of text, now and then of a timestamp. */
function tokenIds(random, count, dims) {
  const ids = endOfText(dims);
  return random.list(count, () =>
    random.chance(0.05)
      ? random.integer(dims.n_vocab - whisper.timestampCount, dims.n_vocab - 1)
      : random.integer(0, ids - 1),
  );
}

const endOfText = (dims) =>
  dims.n_vocab >= whisper.multilingualVocabulary
    ? whisper.multilingualTextTokens
    : whisper.englishTextTokens;

function promptTokens(random, dims) {
  const count = random.weighted([
    [4, () => random.integer(1, 30)],
    [1, () => random.integer(200, 240)],
    [1, () => random.integer(240, 600)],
  ])();
  return tokenIds(random, count, dims);
}

function suppressTokens(random, dims) {
  const some = () => [
    ...new Set(random.list(random.pick([1, 5, 3000]), () => random.integer(0, dims.n_vocab - 1))),
  ];
  return random.weighted([
    [1, () => '-1'],
    [2, () => ''],
    [1, () => null],
    [1, () => []],
    [2, () => some()],
    [2, () => [-1, ...some()]],
    [1, () => some().join(',')],
    [1, () => `${some().join(',')},-1`],
    [1, () => [endOfText(dims), -1]],
  ])();
}

/** Options that decode() and transcribe() share. */
function windowOptions(random, dims) {
  const half = dims.n_text_ctx / 2;
  const options = {};
  if (dims.n_vocab < whisper.multilingualVocabulary) options.language = 'en';
  else if (random.chance(0.7)) {
    const known = maxText.languages;
    options.language = random.chance(0.4)
      ? 'en'
      : random.pick(dims.n_vocab > whisper.multilingualVocabulary ? [...known, 'yue'] : known);
  }
  if (random.chance(0.15)) options.task = 'translate';
  if (random.chance(0.3)) {
    options.beam_size = random.weighted([
      [1, 1],
      [2, 2],
      [2, 3],
      [3, 5],
      [1, 8],
    ]);
    if (random.chance(0.5)) options.patience = random.pick([0.5, 0.7, 1, 1.3, 1.5, 2, 2.5]);
  }
  if (random.chance(0.25)) options.length_penalty = random.pick([0, 0.3, 0.6, 1, random.uniform()]);
  if (random.chance(0.25)) options.suppress_tokens = suppressTokens(random, dims);
  if (random.chance(0.15)) options.suppress_blank = false;
  if (random.chance(0.3)) {
    options.max_initial_timestamp = random.pick([
      null,
      0,
      0.01,
      0.02,
      0.03,
      0.05,
      0.5,
      2,
      5.55,
      30,
      random.uniform(0, 30),
    ]);
  }
  if (random.chance(0.3)) {
    options.sample_len = random.weighted([
      [2, () => random.integer(1, 10)],
      [3, () => random.integer(10, half)],
      [1, () => random.integer(half, 2 * half)],
    ])();
  }
  return options;
}

function prefix(random, dims) {
  const words = () => random.integer(1, 6);
  return random.weighted([
    [4, () => text(random, words())],
    [1, () => text(random, random.integer(20, 60))],
    [2, () => tokenIds(random, random.integer(1, 12), dims)],
    [1, () => random.pick(['', ' '])],
  ])();
}

function decodeOptions(random, dims) {
  const options = windowOptions(random, dims);
  if (random.chance(0.25)) options.without_timestamps = true;
  if (random.chance(0.35)) {
    options.prompt = random.chance(0.6) ? promptText(random) : promptTokens(random, dims);
  }
  if (random.chance(0.2)) options.prefix = prefix(random, dims);
  return options;
}

function clipTimestamps(random, seconds) {
  const count = random.weighted([
    [1, 0],
    [3, 1],
    [3, 2],
    [2, 3],
    [2, 4],
  ]);
  const places = random.list(count, () => random.uniform(0, seconds)).sort((a, b) => a - b);
  // A few frames only, now and then.
  if (count > 1 && random.chance(0.15)) places[1] = places[0] + random.integer(1, 9) / 100;
  // Beyond the end now and then, where the reference has its own ideas.
  if (count > 1 && random.chance(0.08)) places[count - 1] = seconds + random.uniform(0, 2);
  // The reference also goes back.
  if (random.chance(0.06)) places.reverse();
  const digits = random.pick([0, 1, 2, 3, 10]);
  const clips = places.map((place) => Number(place.toFixed(digits)));
  return random.chance(0.3) ? clips.join(',') : clips;
}

function punctuations(random) {
  const all = [...'"\'“¿([{-.。,，!！?？:：”)]}、'];
  const some = random.list(random.integer(1, 12), () =>
    random.pick([...all, 'a', ' ', 'ing', ' the']),
  );
  return random.weighted([
    [1, ''],
    [1, '.'],
    [3, some.join('')],
  ]);
}

function wordOptions(random) {
  return given({
    word_timestamps: true,
    prepend_punctuations: random.chance(0.25) ? punctuations(random) : undefined,
    append_punctuations: random.chance(0.25) ? punctuations(random) : undefined,
    hallucination_silence_threshold: random.chance(0.4)
      ? random.pick([null, 0.1, 0.5, 1, 2, random.uniform(0.1, 5)])
      : undefined,
  });
}

function transcribeOptions(random, dims, seconds) {
  const options = windowOptions(random, dims);
  if (dims.n_vocab < whisper.multilingualVocabulary && random.chance(0.5)) delete options.language;
  if (random.chance(0.45)) Object.assign(options, wordOptions(random));
  else if (random.chance(0.2)) options.without_timestamps = true;
  if (random.chance(0.3)) options.condition_on_previous_text = false;
  if (random.chance(0.35)) options.initial_prompt = promptText(random);
  if (random.chance(0.2)) options.carry_initial_prompt = true;
  if (random.chance(0.08)) options.prefix = prefix(random, dims);
  if (random.chance(0.3)) {
    options.no_speech_threshold = random.pick([null, 0.01, 0.1, 0.3, 0.9, random.uniform()]);
  }
  if (random.chance(0.3)) options.logprob_threshold = random.pick([null, -0.5, -1.1, -1.3, -2, 0]);
  if (random.chance(0.15)) options.compression_ratio_threshold = random.pick([null, 0.5, 1.5, 2.4]);
  if (random.chance(0.3)) options.clip_timestamps = clipTimestamps(random, seconds);
  return options;
}

/** A piece of a recording of at most `limit` samples. */
function piece(random, recordings, limit) {
  const { name, samples } = random.pick(recordings);
  const most = Math.min(samples, limit);
  const count = random.chance(0.3) ? most : random.integer(Math.min(most, 1600), most);
  return { recording: name, start: random.integer(0, samples - count), samples: count };
}

function gap(random, limit) {
  const samples = Math.min(limit, random.integer(0, 8 * whisper.sampleRate));
  if (random.chance(0.6)) return { zeros: samples };
  return { noise: { seed: random.bits(), decibels: -random.integer(20, 70), samples } };
}

const partLength = (part) => part.samples ?? part.zeros ?? part.noise.samples;

/** Pieces of recordings with gaps between some, `samples` long in all before the speed is changed. */
function drawAudio(random, recordings, samples) {
  const parts = [];
  let rest = samples;
  while (rest > 0) {
    const part = random.chance(0.25) ? gap(random, rest) : piece(random, recordings, rest);
    parts.push(part);
    rest -= partLength(part);
  }
  const gain = random.weighted([
    [16, 1],
    [2, 0.1],
    [1, 0.001],
    [1, 2.5],
  ]);
  const speed = random.weighted([
    [16, 1],
    [2, 1.25],
    [1, 1.7],
    [1, 0.8],
  ]);
  return { parts, gain, speed };
}

function drawSeconds(random, name) {
  if (name === 'decode') {
    return random.weighted([
      [1, () => random.uniform(0.02, 1)],
      [5, () => random.uniform(1, 30)],
      [1, () => 30],
      [1, () => random.uniform(30, 33)],
    ])();
  }
  return random.weighted([
    // Fewer frames than a timestamp or a kernel's width.
    [1, () => random.integer(0, 20) / 200],
    [2, () => random.uniform(0.02, 5)],
    [14, () => random.uniform(5, 45)],
    [2, () => random.uniform(45, 90)],
    [1, () => 30 * random.integer(1, 2)],
  ])();
}

/**
 * One case. `models`: [{ name, dims }], `recordings`: [{ name, samples }] with their numbers of samples. Returns
 * { function, model, audio, options }.
 * @type {(random: Random, models: readonly { name: string; dims: { n_vocab: number; n_text_ctx: number } }[], recordings: readonly { name: string; samples: number }[]) => DrawnCase}
 */
export function drawCase(random, models, recordings) {
  const model = random.pick(models);
  const name = random.chance(0.4) ? 'decode' : 'transcribe';
  const samples = Math.round(drawSeconds(random, name) * whisper.sampleRate);
  const audio = drawAudio(random, recordings, samples);
  const seconds = samples / audio.speed / whisper.sampleRate;
  const options =
    name === 'decode'
      ? decodeOptions(random, model.dims)
      : transcribeOptions(random, model.dims, seconds);
  return { function: name, model: model.name, audio, options };
}
