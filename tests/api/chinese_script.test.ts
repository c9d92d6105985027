// Chinese in one script: what a scripted engine says, as transcribe() and stream() give it.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Converter } from 'opencc-js';
import simplifiedPhrases from 'opencc-js/dict/STPhrases';
import traditionalPhrases from 'opencc-js/dict/TSPhrases';
import type {
  LiveEvent,
  LiveText,
  SavedTranscription,
  Segment,
  TranscribeOptions,
  WhisperLiveOptions,
  WhisperModel,
  Word,
} from '../../web/src/api/types.js';
import { convertedPieces } from '../../web/src/model/chinese_script.js';
import { EngineModel } from '../../web/src/model/model.js';
import { node } from '../../web/src/node_platform.js';
import type { ConvertText, Platform } from '../../web/src/platform/platform.js';
import type {
  EngineCalls,
  EngineEvent,
  EngineLink,
  WhisperFacts,
} from '../../web/src/protocol/engine.js';
import type { CallOptions } from '../../web/src/protocol/link.js';
import { convert as toSimplified } from '../../web/tools/script/simplified.js';
import { convert as toTraditional } from '../../web/tools/script/traditional.js';
import { errorOf } from '../support/embedded_model.js';
import { tinyDims } from '../support/tiny_whisper.js';
import { turns } from '../support/turns.js';

const samples = new Float32Array(16000).fill(0.1);

const wordsOf = (texts: readonly string[]): Word[] =>
  texts.map((word, i) => ({ word, start: i, end: i + 1, probability: 0.5 }));

/** A segment of such words. */
function segment(language: string, texts: readonly string[], more: Partial<Segment> = {}): Segment {
  const text = texts.join('');
  const decision = 'kept';
  const quality = { temperature: 0, avgLogprob: -0.1, noSpeechProb: 0, compressionRatio: 1 };
  const attempt = { ...quality, encoderContext: 20, decision, text } as const;
  const place = {
    id: 0,
    seek: 0,
    start: 0,
    end: texts.length,
    tokens: [7],
    tokenProbabilities: [1],
  };
  const words = wordsOf(texts);
  return { ...place, ...attempt, language, attempts: [attempt], words, ...more };
}

function liveText(
  type: LiveText['type'],
  language: string,
  texts: readonly string[],
  { committed = texts.length, id = 0 } = {},
): LiveText {
  const about = { type, id, time: 1, start: 0, end: texts.length, language, committed };
  const tokens = texts.map((text, at) => ({
    ...{ id: at, text, time: at, score: -0.1 },
    ...{ beginsWord: true, endsSentence: false },
  }));
  return { ...about, text: texts.join(''), words: wordsOf(texts), tokens };
}

/** Says what it was given, and keeps what it was asked. */
class ScriptedEngine {
  segments: Segment[] = [];
  rejected: Segment[] = [];
  /** The events of each call that takes sound, in order. */
  live: LiveEvent[][] = [];
  readonly asked: { readonly name: string; readonly request: unknown }[] = [];

  call(name: string, request: unknown, options?: CallOptions<EngineEvent>): Promise<unknown> {
    this.asked.push({ name, request });
    if (name === 'beginLive') return Promise.resolve(1);
    if (name === 'feedLive' || name === 'flushLive')
      return Promise.resolve(this.live.shift() ?? []);
    if (name !== 'transcribe') return Promise.resolve(undefined);
    const { segments, rejected } = this;
    options?.onEvent?.({ type: 'window', segments, rejected, state: { at: 1 }, languages: {} });
    const text = segments.map((each) => each.text).join('');
    const { language = '' } = segments[0] ?? {};
    return Promise.resolve({
      text,
      language,
      duration: 1,
    } satisfies EngineCalls['transcribe']['answer']);
  }
  close(): void {
    // Nothing is held.
  }
}

const facts = (codes: readonly string[]) =>
  ({
    ...{ family: 'whisper', format: 'APR2 2.0', dtypes: ['f32'], warnings: [], multilingual: true },
    ...{ dims: { nVocab: tinyDims.n_vocab, nTextCtx: 16, nAudioCtx: 20 } },
    memoryPlan: { weightBytes: 1, kvCacheBytes: 1, activationBytes: 1 },
    special: { languages: Object.fromEntries(codes.map((code, i) => [code, i])) },
  }) as unknown as WhisperFacts;

let engine: ScriptedEngine;
let model: WhisperModel;

function modelOf(platform: Partial<Platform>, ...codes: string[]): WhisperModel {
  const choice = { variant: 'simd', reason: '', threads: 1, threadsReason: '' } as const;
  const link = engine as unknown as EngineLink;
  const own = { ...node, ...platform };
  const made = new EngineModel(link, own, choice, facts(codes));
  return made as unknown as WhisperModel;
}

beforeEach(() => {
  engine = new ScriptedEngine();
  model = modelOf({ loadScript: (script) => node.loadScript(script) }, 'en', 'zh', 'yue', 'ja');
});
afterEach(() => model.dispose());

const transcribe = (options: TranscribeOptions) =>
  model.transcribe(samples, { vad: false, ...options });

async function hear(options: WhisperLiveOptions): Promise<LiveEvent[]> {
  const live = model.stream({ vad: false, ...options });
  const steps = engine.live.length;
  for (let step = 1; step < steps; ++step) await live.feed(samples);
  await live.close();
  const events: LiveEvent[] = [];
  for await (const event of live) events.push(event);
  return events;
}
const written = (events: readonly LiveEvent[]) =>
  events.map((event) => {
    const { text, words, tokens } = event as LiveText;
    return [text, words.map(({ word }) => word), tokens.map((token) => token.text)];
  });

const wordTexts = ({ words = [] }: Segment): string[] => words.map(({ word }) => word);

describe("the library's dictionaries", () => {
  const sides = (list: string): string[] => list.split(/[ |]/);
  const everything = [...sides(simplifiedPhrases).slice(0, 5000), ...sides(traditionalPhrases)];

  test.each([
    ['simplified', toSimplified, Converter({ from: 't', to: 'cn' })],
    ['traditional', toTraditional, Converter({ from: 'cn', to: 't' })],
  ])('%s: converts as OpenCC does, and keeps the number of characters', (_, own, theirs) => {
    const text = `${everything.join('')} Abc，𠮷野家 \uFFFD。豈`;
    expect(own(text) === theirs(text)).toBe(true);
    for (const phrase of everything) {
      if (Array.from(own(phrase)).length !== Array.from(phrase).length) throw new Error(phrase);
    }
  });
});

describe('pieces of a converted text', () => {
  test('have their characters from the whole, with those outside the plane and those that were cut', () => {
    expect(convertedPieces(['头', '发', ' 𠮷', '', '\uFFFD', '里', '面'], toTraditional)).toEqual([
      ...['頭', '髮', ' 𠮷', '', '\uFFFD', '裏', '面'],
    ]);
    expect(convertedPieces([], toTraditional)).toEqual([]);
  });

  test('are converted one by one where the number of characters changes', () => {
    const doubled: ConvertText = (text) => text.replaceAll('a', 'aa').toUpperCase();
    expect(convertedPieces(['ab', 'c', 'a'], doubled)).toEqual(['AAB', 'C', 'AA']);
  });
});

describe('transcribe({ script })', () => {
  test('writes segments, rejected ones too, their words and the whole text', async () => {
    engine.segments = [segment('zh', [' 他的', '头', '发']), segment('yue', ['發', '展', '。'])];
    engine.rejected = [segment('zh', ['里', '面'], { decision: 'dropped:no-speech' })];
    const traditional = await transcribe({ script: 'traditional' });
    expect(traditional.text).toBe(' 他的頭髮發展。');
    expect(traditional.segments.map(({ text }) => text)).toEqual([' 他的頭髮', '發展。']);
    expect(traditional.segments.map(wordTexts)).toEqual([
      [' 他的', '頭', '髮'],
      ['發', '展', '。'],
    ]);
    expect(traditional.rejected.map((each) => [each.text, ...wordTexts(each)])).toEqual([
      ['裏面', '裏', '面'],
    ]);
    expect(traditional.segments[0]?.attempts[0]?.text).toBe(' 他的頭髮');
    expect(traditional.segments[0]).toMatchObject({
      tokens: [7],
      start: 0,
      end: 3,
      language: 'zh',
    });
    const simplified = await transcribe({ script: 'simplified' });
    expect(simplified.text).toBe(' 他的头发发展。');
  });

  test('changes no other language, and nothing unless it is asked', async () => {
    engine.segments = [segment('ja', ['後', '発', '里']), segment('zh', ['後', '里'])];
    const { text, segments } = await transcribe({ script: 'simplified' });
    expect(text).toBe('後発里后里');
    expect(segments[0]).toEqual(engine.segments[0]);
    const plain = await modelOf({}, 'zh').transcribe(samples, { vad: false });
    expect(plain.segments).toEqual(engine.segments);
  });

  test('is no matter of the engine, and stays with what is saved', async () => {
    engine.segments = [segment('zh', ['发'])];
    const work = transcribe({ script: 'traditional', clipTimestamps: [0] });
    await work;
    const saved = JSON.parse(JSON.stringify(work.save())) as SavedTranscription;
    expect(saved.settings).toMatchObject({ script: 'traditional', clipTimestamps: [0] });
    engine.segments = [segment('zh', ['头', '发'])];
    const { segments } = await model.transcribe(samples, { from: saved });
    expect(segments.map(({ text }) => text)).toEqual(['發', '頭髮']);
    const requests = engine.asked.filter(({ name }) => name === 'transcribe');
    expect(requests).toHaveLength(2);
    expect(JSON.stringify(requests.map(({ request }) => request))).not.toContain('script');
    const spoilt = { ...saved, settings: { ...saved.settings, script: 'hans' } } as never;
    expect(await errorOf(model.transcribe(samples, { from: spoilt }))).toMatchObject({
      code: 'invalid_argument',
      details: { subject: 'from.settings.script' },
    });
  });

  test('an abort while the dictionaries are loaded, and dictionaries that do not come', async () => {
    engine.segments = [segment('zh', ['发'])];
    const leaving = new AbortController();
    model = modelOf({ loadScript: () => new Promise(() => undefined) }, 'zh');
    const work = transcribe({ script: 'traditional', signal: leaving.signal });
    await turns(5);
    leaving.abort('enough');
    leaving.abort('again');
    expect(await errorOf(work)).toBe('enough');
    const failure = new Error('no dictionaries');
    model = modelOf({ loadScript: () => Promise.reject(failure) }, 'zh');
    expect(await errorOf(transcribe({ script: 'traditional' }))).toBe(failure);
    expect(engine.asked.map(({ name }) => name)).not.toContain('transcribe');
  });
});

describe('stream({ script })', () => {
  test('writes partial and final texts, their words and tokens', async () => {
    engine.live = [
      [liveText('partial', 'zh', ['头', '发'], { committed: 0 })],
      [liveText('final', 'zh', ['头', '发', '\uFFFD'])],
      [liveText('final', 'ja', ['後', '里'], { id: 1 })],
    ];
    expect(written(await hear({ script: 'traditional' }))).toEqual([
      ['頭髮', ['頭', '髮'], ['頭', '髮']],
      ['頭髮\uFFFD', ['頭', '髮', '\uFFFD'], ['頭', '髮', '\uFFFD']],
      ['後里', ['後', '里'], ['後', '里']],
    ]);
    const [begun] = engine.asked.filter(({ name }) => name === 'beginLive');
    expect(JSON.stringify(begun)).not.toContain('script');
  });

  test('keeps what is committed, and begins anew with the next text and after reset()', async () => {
    engine.live = [
      [liveText('partial', 'zh', ['发'], { committed: 1 })],
      [liveText('final', 'zh', ['发', '廊'])],
      [liveText('partial', 'zh', ['发', '廊'], { committed: 1, id: 1 })],
    ];
    const [first, second, third] = written(await hear({ script: 'traditional' }));
    expect([first, second, third]).toEqual([
      ['發', ['發'], ['發']],
      ['發廊', ['發', '廊'], ['發', '廊']],
      ['髮廊', ['髮', '廊'], ['髮', '廊']],
    ]);
    engine.live = [
      [liveText('partial', 'zh', ['发'], { committed: 1 })],
      [],
      [liveText('partial', 'zh', ['发', '廊'], { committed: 0 })],
    ];
    const live = model.stream({ vad: false, script: 'traditional' });
    await live.feed(samples);
    await live.flush();
    await live.reset();
    await live.feed(samples);
    await live.close();
    const events: LiveEvent[] = [];
    for await (const event of live) events.push(event);
    expect(written(events).map(([text]) => text)).toEqual(['發', '髮廊']);
  });

  test('dictionaries that do not come end the stream, and closing it does not wait for them', async () => {
    const failure = new Error('no dictionaries');
    model = modelOf({ loadScript: () => Promise.reject(failure) }, 'zh');
    const failed = model.stream({ vad: false, script: 'simplified' });
    expect(await errorOf(failed.feed(samples))).toBe(failure);
    expect(await errorOf(failed.feed(samples))).toBe(failure);
    const leaving = new AbortController();
    model = modelOf({ loadScript: () => new Promise(() => undefined) }, 'zh');
    const live = model.stream({ vad: false, script: 'simplified', signal: leaving.signal });
    const fed = live.feed(samples);
    await turns(5);
    leaving.abort(0);
    expect(await errorOf(fed)).toBe(0);
    await live.close();
    expect(engine.asked.map(({ name }) => name)).not.toContain('beginLive');
  });
});

describe('a script that cannot be', () => {
  const wrong = { script: 'hans' } as unknown as TranscribeOptions & WhisperLiveOptions;
  const refusal = { code: 'invalid_argument', details: { reason: 'option', subject: 'script' } };
  const unknown = { code: 'unsupported_feature', details: { subject: 'the option script' } };

  const streamed = (of: WhisperModel, options: WhisperLiveOptions) =>
    Promise.resolve().then(() => of.stream(options));

  test('is one typed error', async () => {
    expect(await errorOf(transcribe(wrong))).toMatchObject(refusal);
    expect(await errorOf(streamed(model, wrong))).toMatchObject(refusal);
    const english = modelOf({}, 'en');
    const asked = { script: 'simplified' } as const;
    expect(await errorOf(english.transcribe(samples, asked))).toMatchObject(unknown);
    expect(await errorOf(streamed(english, asked))).toMatchObject(unknown);
    expect(engine.asked).toEqual([]);
  });
});
