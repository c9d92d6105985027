// A model that is no Whisper goes through the same host, link and Model. Its engine is a fake: what crosses is what counts.
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { WhisperModel, TranscribeOptions } from '../../web/src/api/types.js';
import type { EngineModule } from '../../web/src/engine/engine_module.js';
import { EngineHost } from '../../web/src/engine/engine_host.js';
import type { EngineLink } from '../../web/src/protocol/engine.js';
import { EngineModel } from '../../web/src/model/model.js';
import type { Platform } from '../../web/src/platform/platform.js';
import { openInProcess } from '../../web/src/worker/in_process.js';

const Step = { needAudio: 0, working: 1, segmentReady: 2, rejectedReady: 3, done: 4, failed: 5 };
const windowSamples = 1600;
const facts = {
  family: 'dummy',
  format: 'APR2 2.0',
  dtypes: ['f32'],
  warnings: ['a warning'],
  memoryPlan: { weightBytes: 12, kvCacheBytes: 0, activationBytes: 4 },
  classCount: 3,
};

/** Says after each window of samples how loud it was. */
class FakeTranscriber {
  static options: unknown;
  static heard: unknown = {};
  #count = 0;
  #begin = 0;
  #isWaiting = false;
  readonly #window = new Float32Array(windowSamples);
  begin(_model: unknown, options: string, sampleCount: number): string {
    FakeTranscriber.options = JSON.parse(options);
    this.#count = sampleCount;
    return '';
  }
  step(): number {
    if (this.#isWaiting) {
      this.#isWaiting = false;
      this.#begin += windowSamples;
      return Step.segmentReady;
    }
    if (this.#begin >= this.#count) return Step.done;
    this.#isWaiting = true;
    return Step.needAudio;
  }
  audioRequest(): { begin: number; end: number } {
    return { begin: this.#begin, end: this.#begin + windowSamples };
  }
  audioWindow(): Float32Array {
    return this.#window;
  }
  takeSegment(): string {
    return JSON.stringify({ text: `loudness ${Math.max(...this.#window)}` });
  }
  error(): string {
    return '';
  }
  text(): string {
    return JSON.stringify('all of it');
  }
  language(): string {
    return '';
  }
  languages(): string {
    return JSON.stringify(FakeTranscriber.heard);
  }
  progress(): number {
    return this.#begin / this.#count;
  }
  delete(): void {
    // Nothing is held.
  }
}

const askedOfEngine: string[] = [];
const fakeModule = {
  Step,
  HEAPU8: new Uint8Array(64),
  heapStatistics: () => ({ currentBytes: 1, peakBytes: 2, allocationCount: 3 }),
  Loader: class {
    readonly #window = new Uint8Array(16);
    inputWindow = (): Uint8Array => this.#window;
    setByteCount = (): void => undefined;
    push = (): string => '';
    finish = (): string => '';
    missingFiles = (): string => '[]';
    delete = (): void => undefined;
  },
  Model: class {
    readonly create = (): string => '';
    readonly facts = (): string => JSON.stringify(facts);
    constructor() {
      // Whisper's methods must not even be asked for.
      return new Proxy(this, {
        get(target, name) {
          if (!Reflect.has(target, name)) askedOfEngine.push(String(name));
          return Reflect.get(target, name) as unknown;
        },
      });
    }
  },
  Transcriber: FakeTranscriber,
};

async function load(): Promise<{ engine: EngineLink; model: WhisperModel }> {
  const host = new EngineHost(() =>
    Promise.resolve({ module: fakeModule as unknown as EngineModule }),
  );
  const engine: EngineLink = openInProcess(host);
  await engine.call('start', { variant: 'simd', threads: 1 });
  await engine.call('beginFile', { byteCount: 3, vocabulary: undefined, filterbank: undefined });
  await engine.call('pushLoad', { bytes: new Uint8Array(3) });
  await engine.call('endFile', undefined);
  const loaded = await engine.call('finishLoad', undefined);
  expect(loaded).toEqual(facts);
  const choice = { variant: 'simd', reason: 'asked for', threads: 1, threadsReason: '' } as const;
  const platform = { device: () => ({ processors: 1 }) } as Platform;
  const model = new EngineModel(engine, platform, choice, loaded) as unknown as WhisperModel;
  return { engine, model };
}

describe('a model of another family', () => {
  let engine: EngineLink;
  let model: WhisperModel;
  beforeEach(async () => {
    ({ engine, model } = await load());
    askedOfEngine.length = 0;
  });

  test('says what every model says, and is no Whisper', async () => {
    expect(model.family).toBe('dummy');
    expect(model.info).toEqual({
      family: 'dummy',
      format: 'APR2 2.0',
      dtypes: ['f32'],
      warnings: ['a warning'],
      languages: [],
      multilingual: false,
      streams: false,
      variant: 'simd',
      variantReason: 'asked for',
      threads: 1,
      threadsReason: '',
      workers: 1,
      workersReason: 'models of this family have one engine',
    });
    expect(await model.memory()).toMatchObject({ weightBytes: 12, activationBytes: 4 });
  });

  test('transcribes, with options of its own', async () => {
    const samples = new Float32Array(2 * windowSamples).fill(0.25, windowSamples);
    const options = { beamWidth: 7, onProgress: () => undefined } as TranscribeOptions;
    const result = await model.transcribe(samples, options);
    expect(result.text).toBe('all of it');
    expect(result.segments.map(({ text }) => text)).toEqual(['loudness 0', 'loudness 0.25']);
    expect(result.duration).toBeCloseTo(0.2);
    expect(FakeTranscriber.options).toEqual({ beamWidth: 7 });
    const wrong = { onProgress: 7 } as unknown as TranscribeOptions;
    await expect(model.transcribe(samples, wrong)).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  test('says how probable its language is and, window by window, how much text is in each', async () => {
    const samples = new Float32Array(windowSamples);
    const languages = [{ language: 'de', seconds: 0.1 }];
    FakeTranscriber.heard = { languageProbability: 0.75, languages };
    const work = model.transcribe(samples);
    for await (const segment of work) {
      expect(segment.text).toBe('loudness 0');
      // While it is still at work.
      expect(work.soFar).toMatchObject({ languageProbability: 0.75 });
    }
    expect(await work).not.toHaveProperty('languages');
    expect((await work).languageProbability).toBe(0.75);
    const each = await model.transcribe(samples, { language: 'per-window' });
    expect(each).toMatchObject({ languageProbability: 0.75, languages });
    FakeTranscriber.heard = { languages };
    expect(await model.transcribe(samples)).not.toHaveProperty('languageProbability');
    FakeTranscriber.heard = {};
  });

  test('refuses what only a Whisper has', async () => {
    const samples = new Float32Array(windowSamples);
    const mel = { data: new Float32Array(4), nMels: 2, nFrames: 2 };
    const calls: [string, () => Promise<unknown>][] = [
      ['decode', () => model.decode(samples)],
      ['detectLanguage', () => model.detectLanguage(samples)],
      ['score', () => model.score(samples, ['yes'])],
      ['align', () => model.align(samples, 'yes')],
      ['logMel', () => model.logMel(samples)],
      ['encode', () => model.encode(mel)],
      ['logits', () => model.logits([1])],
      [
        'the option from',
        async () => model.transcribe(samples, { from: { version: 1, dims: {} } as never }),
      ],
      ['tokenizer', async () => model.tokenizer.encode('text')],
    ];
    for (const [name, call] of calls) {
      await expect(call()).rejects.toMatchObject({
        code: 'unsupported_feature',
        details: { subject: name, expected: 'whisper', got: 'dummy' },
      });
    }
    expect(askedOfEngine).toEqual([]);
  });

  test('refuses it behind the link too, and goes on', async () => {
    const samples = new Float32Array(windowSamples);
    for (const call of [
      engine.call('tokenize', { text: 'a' }),
      engine.call('logits', { tokens: Uint32Array.of(1) }),
      engine.call('logMel', { samples, mode: 'window' }),
      engine.call('decode', { samples, settings: {} }),
    ]) {
      await expect(call).rejects.toMatchObject({ code: 'unsupported_feature' });
    }
    expect(askedOfEngine).toEqual([]);
    expect((await model.transcribe(samples)).text).toBe('all of it');
  });
});
