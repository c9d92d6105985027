import { describe, expect, test } from '@jest/globals';
import { apiOptions } from '../../scripts/reference/api_options.mjs';
import { caseSamples } from '../../scripts/reference/audio.mjs';
import {
  closestSteps,
  compareResults,
  firstDifferingStep,
  inApiNames,
} from '../../scripts/reference/compare.mjs';
import { drawCase } from '../../scripts/reference/draw.mjs';
import { Random } from '../../scripts/reference/random.mjs';
import { wholeRecordings } from '../../scripts/reference/whole_recordings.mjs';

test('whole recordings are cases of both functions; an English model is told its language', () => {
  const recordings = [
    { name: 'one', samples: 10 },
    { name: 'two', samples: 20 },
  ];
  const cases = (n_vocab: number) =>
    wholeRecordings([{ name: 'model', dims: { n_vocab } }], recordings);
  expect(cases(51864).map((one) => [one.function, one.audio.parts, one.options])).toEqual(
    recordings.flatMap(({ name, samples }) => {
      const parts = [{ recording: name, start: 0, samples }];
      return [
        ['transcribe', parts, { language: 'en', word_timestamps: true }],
        ['decode', parts, { language: 'en' }],
      ];
    }),
  );
  expect(cases(51865).map(({ options }) => options)).toEqual(
    recordings.flatMap(() => [{ word_timestamps: true }, {}]),
  );
});

describe('drawn cases', () => {
  const models = [
    { name: 'multilingual', dims: { n_vocab: 51865, n_text_ctx: 448 } },
    { name: 'english', dims: { n_vocab: 51864, n_text_ctx: 448 } },
  ];
  const recordings = [
    { name: 'long', samples: 400_000 },
    { name: 'short', samples: 2_000 },
  ];
  const draw = (seed: string) => drawCase(new Random(seed), models, recordings);
  const cases = Array.from({ length: 1500 }, (_, i) => draw(`test/${i}`));

  test('depend on the seed alone', () => {
    expect(draw('a')).toEqual(draw('a'));
    expect(draw('a')).not.toEqual(draw('b'));
  });

  test('take options together only where the reference does', () => {
    const isWrong = ({ model, function: name, options }: (typeof cases)[number]) => {
      const has = (option: string) => option in options;
      return (
        (has('patience') && !has('beam_size')) ||
        (has('hallucination_silence_threshold') && !has('word_timestamps')) ||
        (has('word_timestamps') && has('without_timestamps')) ||
        (has('clip_timestamps') && name === 'decode') ||
        (model === 'english' && has('language') && options.language !== 'en')
      );
    };
    expect(cases.filter(isWrong)).toEqual([]);
  });

  test('cover every option of both functions, by names that the API has', () => {
    const drawn = (name: string) =>
      new Set(
        cases.filter((one) => one.function === name).flatMap(({ options }) => Object.keys(options)),
      );
    const shared = [
      ...['language', 'task', 'without_timestamps', 'beam_size', 'patience', 'length_penalty'],
      ...['suppress_tokens', 'suppress_blank', 'max_initial_timestamp', 'prefix', 'sample_len'],
    ];
    const whole = [
      ...['word_timestamps', 'prepend_punctuations', 'append_punctuations', 'initial_prompt'],
      ...['carry_initial_prompt', 'condition_on_previous_text', 'compression_ratio_threshold'],
      ...['logprob_threshold', 'no_speech_threshold', 'clip_timestamps'],
      'hallucination_silence_threshold',
    ];
    expect([...drawn('decode')].sort()).toEqual([...shared, 'prompt'].sort());
    expect([...drawn('transcribe')].sort()).toEqual([...shared, ...whole].sort());
    const ofApi = new Set(cases.flatMap(({ options }) => Object.keys(apiOptions(options))));
    const oneName = new Set(['without_timestamps', 'word_timestamps', 'prompt', 'sample_len']);
    const inCamelCase = (name: string) =>
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    expect([...ofApi].sort()).toEqual(
      [
        ...['temperature', 'compatibility', 'timestamps', 'sampleLength'],
        ...[...shared, ...whole].filter((name) => !oneName.has(name)).map(inCamelCase),
      ].sort(),
    );
  });

  test('are made of parts within their recordings, as long as drawn', () => {
    const samplesOf = new Map(recordings.map((one) => [one.name, new Float32Array(one.samples)]));
    for (const { audio } of cases.slice(0, 60)) {
      let length = 0;
      for (const part of audio.parts) {
        if ('recording' in part) {
          const { samples } = recordings.find(({ name }) => name === part.recording)!;
          expect(part.start + part.samples).toBeLessThanOrEqual(samples);
        }
        length += 'zeros' in part ? part.zeros : ('noise' in part ? part.noise : part).samples;
      }
      expect(caseSamples(audio, samplesOf)).toHaveLength(Math.ceil(length / audio.speed));
    }
  });
});

test('samples of a case are its parts in order, times its gain, at its speed', () => {
  const samplesOf = new Map([['a', Float32Array.of(0.1, 0.2, 0.3, 0.4)]]);
  const parts = [{ recording: 'a', start: 1, samples: 2 }, { zeros: 1 }];
  expect(caseSamples({ parts, gain: 2, speed: 1 }, samplesOf)).toEqual(
    Float32Array.of(0.4, 0.6, 0),
  );
  const triple = [{ recording: 'a', start: 1, samples: 3 }, { zeros: 1 }];
  const played = [...caseSamples({ parts: triple, gain: 1, speed: 1.25 }, samplesOf)];
  expect(played.map((sample) => sample.toFixed(3))).toEqual(['0.200', '0.325', '0.200', '0.000']);
  const noise = { seed: 7, decibels: -20, samples: 20_000 };
  const made = caseSamples({ parts: [{ noise }], gain: 1, speed: 1 }, samplesOf);
  const power = made.reduce((sum, sample) => sum + sample * sample, 0) / made.length;
  expect(10 * Math.log10(power)).toBeCloseTo(-20, 0);
});

test("the reference's options in the API's names", () => {
  const always = { temperature: 0, compatibility: 'openai' };
  expect(apiOptions({})).toEqual(always);
  expect(apiOptions({ suppress_tokens: '-1' })).toEqual({ ...always, suppressTokens: -1 });
  expect(apiOptions({ suppress_tokens: '' })).toEqual({ ...always, suppressTokens: [] });
  expect(apiOptions({ suppress_tokens: '5,-1' })).toEqual({ ...always, suppressTokens: [5, -1] });
  expect(apiOptions({ suppress_tokens: null })).toEqual({ ...always, suppressTokens: null });
  expect(apiOptions({ clip_timestamps: '1.5,2' })).toEqual({
    ...always,
    clipTimestamps: [1.5, 2],
  });
  expect(apiOptions({ clip_timestamps: '' })).toEqual({ ...always, clipTimestamps: [] });
  expect(apiOptions({ word_timestamps: true, max_initial_timestamp: null })).toEqual({
    ...always,
    timestamps: 'word',
    maxInitialTimestamp: null,
  });
  expect(apiOptions({ without_timestamps: true, prompt: [1, 2] })).toEqual({
    ...always,
    timestamps: 'none',
    initialPrompt: [1, 2],
  });
});

describe('comparison', () => {
  const word = { word: ' one', start: 0.1, end: 0.4, probability: 0.5 };
  const segment = {
    ...{ id: 0, seek: 0, start: 0, end: 2, text: ' one', tokens: [50364, 530, 50464] },
    ...{ temperature: 0, avg_logprob: -0.5, no_speech_prob: 0.1, compression_ratio: 0.9 },
    words: [word],
  };
  const later = { ...segment, id: 1, seek: 3000, start: 30, end: 31 };
  const whole = { text: ' one one', language: 'en', segments: [segment, later] };
  const window = {
    ...{ tokens: [50364, 530, 50464], text: 'one', language: 'en', language_probs: { en: 0.9 } },
    ...{ avg_logprob: -0.5, no_speech_prob: 0.1, compression_ratio: 0.9 },
  };
  const asWords = { function: 'transcribe', options: { word_timestamps: true } } as const;
  const asDecode = { function: 'decode', options: {} } as const;

  test('finds nothing between equal results', () => {
    expect(compareResults(asWords, whole, inApiNames(whole))).toEqual([]);
    expect(compareResults(asDecode, window, inApiNames(window))).toEqual([]);
  });

  test.each([
    ['id', { id: 2 }],
    ['seek', { seek: 2990 }],
    ['text', { text: ' two' }],
    ['tokens', { tokens: [50364, 531, 50464] }],
    ['temperature', { temperature: 0.2 }],
    ['start', { start: 30.01 }],
    ['end', { end: 30.99 }],
    ['avg_logprob', { avg_logprob: -0.502 }],
    ['no_speech_prob', { no_speech_prob: 0.102 }],
    ['compression_ratio', { compression_ratio: 0.901 }],
    ['words', { words: [] }],
    ['words', { words: [{ ...word, word: ' on' }] }],
    ['words[0] " one" start', { words: [{ ...word, start: 0.11 }] }],
    ['words[0] " one" end', { words: [{ ...word, end: 0.39 }] }],
    ['words[0] " one" probability', { words: [{ ...word, probability: NaN }] }],
  ])('finds a segment whose %s differs', (field, change) => {
    const ours = inApiNames({ ...whole, segments: [segment, { ...later, ...change }] });
    const found = compareResults(asWords, whole, ours);
    expect(found.map((one) => one.field)).toEqual([`segments[1].${field}`]);
  });

  test.each([
    ['tokens', { tokens: [50364, 530] }],
    ['text', { text: 'on' }],
    ['avg_logprob', { avg_logprob: NaN }],
    ['no_speech_prob', { no_speech_prob: 0.102 }],
    ['compression_ratio', { compression_ratio: 0.901 }],
    ['language_probs.en', { language_probs: { en: 0.898 } }],
    ['languages', { language_probs: { en: 0.9, de: 0 } }],
  ])('finds a window whose %s differs', (field, change) => {
    const found = compareResults(asDecode, window, inApiNames({ ...window, ...change }));
    expect(found.map((one) => one.field)).toEqual([field]);
  });

  test('finds other languages, missing segments and other text of the whole, earlier windows first', () => {
    const ours = inApiNames({ language: 'de', text: ' one', segments: [segment] });
    const found = compareResults(asWords, whole, ours).map(({ field, seek }) => [field, seek]);
    expect(found).toEqual([
      ['language', 0],
      ['number of segments', 3000],
      ['text', Infinity],
    ]);
  });

  test('takes what JSON cannot say for what it means', () => {
    const reference = { ...window, avg_logprob: 'NaN', no_speech_prob: '-Infinity' };
    const ours = { ...inApiNames(window), avgLogprob: NaN, noSpeechProb: -Infinity };
    expect(compareResults(asDecode, reference, ours)).toEqual([]);
    expect(compareResults(asDecode, reference, inApiNames(window))).toHaveLength(2);
  });

  test('names the first step that differs with both margins', () => {
    const windows = [
      { seek: 0, initial_tokens: [1, 2], tokens: [50364, 530, 50464], margins: [1, 2, 3] },
      { seek: 3000, initial_tokens: [1], tokens: [50364, 530, 50464, 9], margins: [4, 5, 6, 7] },
    ].map((one) => ({ ...one, timestamp_margins: [[1, -0.5]] }));
    const ours = { segments: [segment, { ...later, tokens: [50364, 531, 50464] }] };
    expect(firstDifferingStep(windows, ours)).toEqual({
      ...{ seek: 3000, window: 1, promptLength: 1, step: 1, reference: 530, susurrus: 531 },
      ...{ margin: 5, timestampMargin: -0.5 },
    });
    // A segment that was cleared has lost its tokens, and with them the place of those that follow.
    const cleared = { segments: [{ ...segment, tokens: [] }, ours.segments[0]] };
    expect(firstDifferingStep(windows, cleared)).toBeUndefined();
    // transcribe() cuts what it does not keep; decode() cuts nothing.
    expect(firstDifferingStep(windows, { segments: [segment, later] })).toBeUndefined();
    expect(firstDifferingStep(windows, { tokens: [50364, 530] })).toMatchObject({ step: 2 });
  });

  test('names the closest steps of a window', () => {
    const timestamp_margins = [
      [1, 3],
      [2, -0.5],
    ];
    const windows = [
      { seek: 0, margins: [0.1], timestamp_margins: [] },
      { seek: 3000, margins: [5, 0.2, 3], timestamp_margins },
    ];
    expect(closestSteps(windows, 3000)).toEqual({
      seek: 3000,
      margin: [1, 0.2],
      timestampMargin: [2, -0.5],
    });
    expect(closestSteps(windows, 7)).toMatchObject({ margin: [undefined, Infinity] });
  });
});
