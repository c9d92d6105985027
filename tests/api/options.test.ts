// Every option out of its range, and every pair that excludes each other: one typed error, before any work.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RecordingStream, WhisperModel } from '../../web/src/node.js';
import { describe as told } from '../../web/src/api/errors.js';
import { languageNames } from '../../web/src/api/generated/languages.js';
import { languageCode, languagesLike } from '../../web/src/model/language_tag.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf, sampleAudio, sampleText } from '../support/embedded_model.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
type Options = Record<string, unknown>;
let susurrus: Package;
let model: WhisperModel;
const samples = sampleAudio();

beforeAll(async () => {
  susurrus = await builtPackage();
  model = await susurrus.loadModel<'whisper'>('digits');
});
afterAll(() => {
  model.dispose();
});

function expectRefused(error: unknown, subject: string): void {
  expect(error).toBeInstanceOf(susurrus.SusurrusError);
  expect(error).toMatchObject({
    code: 'invalid_argument',
    details: { reason: 'option', subject },
  });
  const { message, details } = error as InstanceType<Package['SusurrusError']>;
  const { expected = '', got = '' } = details;
  expect(expected).toMatch(/\S/);
  expect(got).toMatch(/\S/);
  expect(message).toBe(`Option ${subject} must be ${expected}; it is ${got}.`);
}

/** Half of an emoji: no text that UTF-8 could hold. */
const lone = 'one \uD83D two';

const manyPhrases = Array.from({ length: 1001 }, (_, i) => `phrase ${i}`);

/** Out of range, one each. */
const ofWindows: Options[] = [
  { beams: 5 },
  { language: 'tlh' },
  { language: 5 },
  { languages: [] },
  { languages: ['en', 'tlh'] },
  { languages: 'en' },
  { task: 'summarise' },
  { encoderContext: 'half' },
  { encoderContext: 0 },
  { encoderContext: 1501 },
  { encoderContext: 500.5 },
  { encoderContext: null },
  { initialPrompt: 5 },
  { initialPrompt: [1776] },
  { initialPrompt: [1.5] },
  { initialPrompt: lone },
  { signal: {} },
];
const ofDecoding: Options[] = [
  { timestamps: true },
  { timestamps: 'words' },
  { temperature: -0.1 },
  { temperature: 1.1 },
  { temperature: Number.NaN },
  { temperature: [] },
  { temperature: [0, 0] },
  { temperature: [0.4, 0.2] },
  { temperature: Array.from({ length: 17 }, (_, i) => i / 16) },
  { bestOf: 0 },
  { bestOf: 17 },
  { bestOf: 2.5 },
  { beamSize: 0 },
  { beamSize: 17 },
  { beamSize: '5' },
  { patience: 0 },
  { patience: Infinity },
  { lengthPenalty: -0.1 },
  { lengthPenalty: 1.1 },
  { suppressTokens: [1776] },
  { suppressTokens: '' },
  { suppressTokens: 5 },
  { suppressBlank: null },
  { maxInitialTimestamp: -1 },
  { maxInitialTimestamp: 31 },
  { prefix: 5 },
  { prefix: [-1] },
  { prefix: lone },
  { sampleLength: 0 },
  { sampleLength: 225 },
  { compressionRatioThreshold: -1 },
  { compressionRatioThreshold: Number.NaN },
  { logprobThreshold: -Infinity },
  { noSpeechThreshold: 1.5 },
  { seed: -1 },
  { seed: 0.5 },
  { seed: 2 ** 53 },
  { hotwords: 'seven' },
  { hotwords: [{ text: ' ' }] },
  { hotwords: [{ text: 'seven', weight: 21 }] },
  { hotwords: [{ text: 'seven', wieght: 1 }] },
  { hotwords: manyPhrases.map((text) => ({ text })) },
  { hotwords: [{ text: lone }] },
  { allowed: [] },
  { allowed: ['yes', ''] },
  { allowed: manyPhrases },
  { allowed: ['yes', lone] },
  { breakLoops: 1 },
  { compatibility: 'none' },
  { prependPunctuations: null },
  { appendPunctuations: ['.'] },
  { prependPunctuations: lone },
  { appendPunctuations: lone },
];
const ofRecordings: Options[] = [
  { script: 'hans' },
  { minLanguageProbability: 2 },
  { conditionOnPreviousText: 'no' },
  { carryInitialPrompt: 0 },
  { clipTimestamps: 5 },
  { clipTimestamps: [-1] },
  { clipTimestamps: [5, 2] },
  { hallucinationSilenceThreshold: -1 },
  { normalization: 'none' },
  { onProgress: 'yes' },
];
const only = (options: Options) => Object.keys(options)[0]!;

describe('an option out of its range is refused', () => {
  test.each(
    [...ofWindows, ...ofDecoding, ...ofRecordings, { temperature: null }].map((each) => [
      only(each),
      each,
    ]),
  )('by transcribe(): %s %j', async (name, options) => {
    expectRefused(await errorOf(model.transcribe(samples, options as object)), name as string);
  });

  test.each([...ofWindows, ...ofDecoding, ...ofRecordings].map((each) => [only(each), each]))(
    'by decode(): %s %j',
    async (name, options) => {
      expectRefused(await errorOf(model.decode(samples, options as object)), name as string);
    },
  );

  test.each([...ofWindows, { beamSize: 5 }].map((each) => [only(each), each]))(
    'by score(): %s %j',
    async (name, options) => {
      const error = await errorOf(model.score(samples, ['one'], options as object));
      expectRefused(error, name as string);
    },
  );

  test.each([
    ...ofWindows.filter((each) => only(each) !== 'initialPrompt'),
    ...[{ initialPrompt: 'one' }, { appendPunctuations: 5 }, { compatibility: 'none' }],
    ...[{ prependPunctuations: lone }, { appendPunctuations: lone }],
  ])('by align(): %j', async (options) => {
    expectRefused(await errorOf(model.align(samples, 'one', options)), only(options));
  });

  test.each([{ languages: ['tlh'] }, { signal: 5 }, { language: 'en' }, { encoderContext: 0 }])(
    'by detectLanguage(): %j',
    async (options) => {
      const error = await errorOf(model.detectLanguage(samples, options as object));
      expectRefused(error, only(options));
    },
  );

  test.each([[[]], ['one'], [[5]], [[lone]], [manyPhrases]])(
    'by score(): candidates %#',
    async (list) => {
      expectRefused(await errorOf(model.score(samples, list as string[])), 'candidates');
    },
  );

  test.each([5, lone])('by align(): a text that is none: %j', async (text) => {
    expectRefused(await errorOf(model.align(samples, text as string)), 'text');
  });

  test('but a whole emoji is text', async () => {
    const { text } = await model.transcribe(samples, { initialPrompt: 'one \u{1F600} two' });
    expect(text).not.toBe('');
  });

  test('by loadModel(): an unknown one', async () => {
    const options = { verbose: true } as object;
    expectRefused(await errorOf(susurrus.loadModel<'whisper'>('digits', options)), 'verbose');
  });
});

test.each([
  [new Event('x'), 'an Event'],
  [new Blob(), 'a Blob'],
  [new Error('x'), 'an Error'],
  [new Uint8Array(), 'a Uint8Array'],
  [Object.create(null), 'an object'],
])('an error calls a value what one would: %#', (value, name) => {
  expect(told(value)).toBe(name);
});

describe('options that exclude each other', () => {
  const anywhere: [name: string, options: Options][] = [
    ['patience', { patience: 2 }],
    ['patience', { beamSize: 1, patience: 0.5 }],
  ];
  const ofOneWindow: [name: string, options: Options][] = [
    ['bestOf', { bestOf: 5 }],
    ['bestOf', { bestOf: 1, temperature: 0 }],
    ['bestOf', { bestOf: 5, beamSize: 5 }],
    ['bestOf', { bestOf: 5, beamSize: 5, temperature: 0.5 }],
    ['beamSize', { beamSize: 5, temperature: 0.5 }],
  ];
  test.each([...anywhere, ...ofOneWindow])('decode() refuses %s of %j', async (name, options) => {
    expectRefused(await errorOf(model.decode(samples, options)), name);
  });

  test.each([
    ...anywhere,
    ['hallucinationSilenceThreshold', { hallucinationSilenceThreshold: 2 }] as const,
  ])('transcribe() refuses %s of %j', async (name, options) => {
    expectRefused(await errorOf(model.transcribe(samples, options)), name);
  });

  test.each(ofOneWindow.map(([, options]) => options))(
    'transcribe() takes %j: each holds at its temperatures',
    async (options) => {
      const { text } = await model.transcribe(samples, options);
      expect(text).not.toBe('');
    },
  );

  test('a stream has no maximum of the whole file', async () => {
    const stream = (async function* () {
      yield samples;
      await Promise.resolve();
    })();
    const work = model.transcribe(stream, { normalization: 'recording' });
    expectRefused(await errorOf(work), 'normalization');
  });
});

test.each<[string, object]>([
  ['isRecording', { isRecording: 1 }],
  ['duration', { isRecording: true, duration: -1 }],
  ['duration', { isRecording: true, duration: '9' }],
  ['sampleRate', { isRecording: true, sampleRate: 0.5 }],
])('%s of a stream is checked: %j', async (subject, members) => {
  const stream = new ReadableStream<Float32Array>();
  const audio = { stream, sampleRate: 16000, ...members } as RecordingStream;
  expectRefused(await errorOf(model.transcribe(audio)), subject);
  expect(stream.locked).toBe(false);
});

describe('options within their ranges', () => {
  test.each<Options>([
    { temperature: [0, 0.5, 1], bestOf: 5, beamSize: 5, patience: 1.5, lengthPenalty: 0.6 },
    { bestOf: null, beamSize: null, patience: null, lengthPenalty: null, sampleLength: null },
    { suppressTokens: null, maxInitialTimestamp: null, suppressBlank: false },
    { suppressTokens: [-1, 32], maxInitialTimestamp: 30, prefix: ' three', sampleLength: 100 },
    { compressionRatioThreshold: null, logprobThreshold: null, noSpeechThreshold: null },
    { initialPrompt: 'one two', carryInitialPrompt: true, conditionOnPreviousText: false },
    { initialPrompt: [257, 258], language: 'en', languages: ['en'], task: 'translate' },
    { timestamps: 'word', hallucinationSilenceThreshold: 2, prependPunctuations: '' },
    { clipTimestamps: [], normalization: 'window', minLanguageProbability: 1 },
    { language: 'per-window', compatibility: 'openai', seed: Number.MAX_SAFE_INTEGER },
    { encoderContext: 'full' },
    { encoderContext: 'auto' },
    { encoderContext: 500, timestamps: 'word', beamSize: 2 },
    { language: undefined, timestamps: undefined, onProgress: undefined },
  ])('%j', async (options) => {
    const { segments, rejected } = await model.transcribe(samples, options);
    expect(segments.length + rejected.length).toBeGreaterThan(0);
  });

  test('an empty list of clips is the whole recording', async () => {
    const { text } = await model.transcribe(samples, { clipTimestamps: [] });
    expect(text.trim()).toBe(sampleText);
  });

  test("clips go back as the reference's do, in a whole recording", async () => {
    const options = { clipTimestamps: [1.5, 2.5, 0, 1], compatibility: 'openai' } as const;
    const { segments } = await model.transcribe(samples, options);
    const clips = segments.map(({ start }) => (start < 1 ? 'first' : 'second'));
    expect([...new Set(clips)]).toEqual(['second', 'first']);
    const stream = (async function* () {
      yield await Promise.resolve(samples);
    })();
    expectRefused(await errorOf(model.transcribe(stream, options)), 'clipTimestamps');
  });

  test('a prompt that is too long is cut as the reference cuts it', async () => {
    const { tokens } = await model.decode(samples, { initialPrompt: 'one '.repeat(500) });
    const room = model.info.dims.nTextCtx / 2 - 1;
    const ids = await model.tokenizer.encode(` ${'one '.repeat(500).trim()}`);
    const cut = await model.decode(samples, { initialPrompt: ids.slice(-room) });
    expect(ids.length).toBeGreaterThan(room);
    expect(tokens).toEqual(cut.tokens);
  });
});

test.each([
  ['beam_size', 'beamSize'],
  ['beamsize', 'beamSize'],
  ['langauge', 'language'],
  ['word_timestamps', "timestamps: 'word'"],
  ['returnTimestamps', 'timestamps'],
  ['initial_prompt', 'initialPrompt'],
  ['onprogress', 'onProgress'],
])('%s: did you mean %s?', async (name, meant) => {
  const error = await errorOf(model.transcribe(samples, { [name]: 5 }));
  expectRefused(error, name);
  expect((error as Error).message).toContain(`must be absent (did you mean ${meant}?); it is 5.`);
});

test.each([
  ['audioContext', 'encoderContext'],
  ['normalisation', 'normalization'],
])('the old name %s is answered by the new one', async (name, now) => {
  const error = await errorOf(model.transcribe(samples, { [name]: 'file' }));
  expectRefused(error, name);
  expect((error as Error).message).toContain(`must be absent (it is ${now} now); it is "file".`);
});

test.each(['beams', 'chunk_length_s', 'toString', '__proto__x', ''])(
  'what no option is like is answered by their list: %s',
  async (name) => {
    const error = await errorOf(model.transcribe(samples, { [name]: 5 }));
    expectRefused(error, name);
    expect((error as Error).message).toMatch(/the options here are .*beamSize, /);
  },
);

describe('languages', () => {
  const known = ['en', 'zh', 'he', 'id', 'no', 'jw', 'tl', 'yue', 'fa'];
  test.each([
    ['en', 'en'],
    ['en-US', 'en'],
    ['en_GB', 'en'],
    ['EN', 'en'],
    ['zh-Hans-CN', 'zh'],
    ['cmn', 'zh'],
    ['yue-HK', 'yue'],
    ['iw', 'he'],
    ['nb-NO', 'no'],
    ['jv', 'jw'],
    ['jw', 'jw'],
    ['fil', 'tl'],
    ['per', 'fa'],
    ['per-window', undefined],
    ['per-utterance', undefined],
    ['auto', undefined],
    ['tlh', undefined],
    ['Per-Window', undefined],
    ['English', 'en'],
    [' ENGLISH ', 'en'],
    ['persian', 'fa'],
    ['german', undefined],
    ['', undefined],
    ['en US', undefined],
    [5, undefined],
  ])('%p is %p', (tag, code) => {
    expect(languageCode(tag, known)).toBe(code);
  });

  const every = Object.keys(languageNames);
  test('have the other names that the reference’s command takes', () => {
    const others = {
      ...{ Mandarin: 'zh', Castilian: 'es', Flemish: 'nl', Burmese: 'my', Haitian: 'ht' },
      ...{ Valencian: 'ca', Moldavian: 'ro', MOLDOVAN: 'ro', sinhalese: 'si', Panjabi: 'pa' },
      ...{ Pushto: 'ps', Letzeburgesch: 'lb' },
    };
    const codes = Object.keys(others).map((name) => [name, languageCode(name, every)]);
    expect(Object.fromEntries(codes)).toEqual(others);
  });

  test('have the names that they have in themselves', () => {
    const own = {
      ...{ Deutsch: 'de', français: 'fr', FRANÇAIS: 'fr', 'franc\u0327ais': 'fr', 日本語: 'ja' },
      ...{ 中文: 'zh', Русский: 'ru', 'Tiếng Việt': 'vi', 'norsk bokmål': 'no', فارسی: 'fa' },
      ...{ Filipino: 'tl', Jawa: 'jw', Türkçe: 'tr' },
    };
    const codes = Object.keys(own).map((name) => [name, languageCode(name, every)]);
    expect(Object.fromEntries(codes)).toEqual(own);
  });

  test.each([
    ['frensh', [['french', 'fr']]],
    [
      'Deutsh',
      [
        ['deutsch', 'de'],
        ['dutch', 'nl'],
      ],
    ],
    ['Francais', [['français', 'fr']]],
    ['Mandarine', [['mandarin', 'zh']]],
    ['moldovean', [['moldovan', 'ro']]],
    ['xx', []],
    ['klingon', []],
    ['French', []],
    [5, []],
  ])('%p is like %p', (name, meant) => {
    expect(languagesLike(name, every)).toEqual(meant);
  });

  test('by their names are taken by every call, and misspelt ones are guessed', async () => {
    const calls = {
      transcribe: (options: Options) => model.transcribe(samples, options),
      decode: (options: Options) => model.decode(samples, options),
      align: (options: Options) => model.align(samples, sampleText, options),
      score: (options: Options) => model.score(samples, [sampleText], options),
      detectLanguage: (options: Options) => model.detectLanguage(samples, options),
      stream: async (options: Options) => model.stream(options).close(),
    };
    for (const [name, call] of Object.entries(calls)) {
      const told = name === 'detectLanguage' ? {} : { language: 'ENGLISH' };
      await call({ ...told, languages: ['English'] });
      const error = await errorOf(call({ languages: ['englsh'] }));
      expectRefused(error, 'languages');
      expect((error as Error).message).toContain(
        "the model's languages (did you mean english/en?)",
      );
      if (name === 'detectLanguage') continue;
      const other = await errorOf(call({ language: 'Inglish' }));
      expectRefused(other, 'language');
      expect((other as Error).message).toContain(
        "the model's languages (did you mean english/en?)",
      );
    }
  });

  test('by their tags are what the codes are', async () => {
    const options = { language: 'en-US', languages: ['en-GB'] };
    const [tagged, plain] = await Promise.all([
      model.transcribe(samples, options),
      model.transcribe(samples, { language: 'en', languages: ['en'] }),
    ]);
    expect(tagged).toEqual(plain);
    expect(tagged.language).toBe('en');
  });
});
