// What callers do wrong ends the call that they did it in, with their own error or one that names the argument, and never the engine.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  AudioInput,
  AudioStream,
  LoadOptions,
  WhisperModel,
  ModelSource,
  Progress,
} from '../../web/src/node.js';
import { builtPackage } from '../support/built_package.js';
import {
  errorOf,
  inPieces,
  modelBytes,
  modelPath,
  sampleAudio,
  sampleText,
} from '../support/embedded_model.js';
import { loadThroughWorker } from '../support/worker_engine.js';

const samples = sampleAudio();
const times = 20;

/** Values that a caller's code may throw, among them likenesses of a file system error, a trap and an abort. */
const thrown: readonly (readonly [what: string, value: unknown])[] = [
  ['an error', new Error('my page')],
  ['a TypeError', new TypeError('x is not a function')],
  ['one with a code', Object.assign(new Error('no such file'), { code: 'ENOENT' })],
  ['a RuntimeError', new WebAssembly.RuntimeError('unreachable')],
  ['a DOMException', new DOMException('enough', 'AbortError')],
  ['a text', 'stop'],
  ['nothing', undefined],
];

const throwing = (value: unknown) => (): never => {
  throw value;
};

/** A box, since what was thrown may be undefined. */
const thrownBy = (work: PromiseLike<unknown>): Promise<{ readonly value: unknown }> =>
  Promise.resolve(work).then(
    () => {
      throw new Error('It was expected to fail.');
    },
    (value: unknown) => ({ value }),
  );

type Load = (source: ModelSource, options?: LoadOptions) => Promise<WhisperModel>;
const loaders: readonly (readonly [where: string, load: Load])[] = [
  [
    'in process',
    async (source, options) => (await builtPackage()).loadModel<'whisper'>(source, options),
  ],
  ['through a worker', loadThroughWorker],
];

describe.each(loaders)('an engine %s', (_where, load) => {
  let model: WhisperModel;
  beforeAll(async () => {
    model = await load(modelPath);
  });
  afterAll(() => {
    model.dispose();
  });
  /** After all that was done to it. */
  const expectSound = async (): Promise<void> => {
    expect((await model.transcribe(samples)).text.trim()).toBe(sampleText);
  };

  describe('a progress callback of transcribe() that throws', () => {
    test.each(thrown)('%s', async (_what, value) => {
      for (let i = 0; i < times; ++i) {
        let calls = 0;
        const onProgress = (): never => {
          ++calls;
          throw value;
        };
        const work = model.transcribe(samples, { onProgress });
        expect(await thrownBy(work)).toEqual({ value });
        expect((await thrownBy(work)).value).toBe(value);
        expect(calls).toBe(1);
      }
      await expectSound();
    });

    test('at the last report, when all is done', async () => {
      const value = new Error('at the end');
      const onProgress = ({ fraction }: Progress): void => {
        if (fraction === 1) throw value;
      };
      expect((await thrownBy(model.transcribe(samples, { onProgress }))).value).toBe(value);
    });

    test('ends the loop over segments in the same way', async () => {
      const value = new Error('my page');
      const loop = async (): Promise<void> => {
        for await (const segment of model.transcribe(samples, { onProgress: throwing(value) })) {
          throw new Error(`There was a segment: ${segment.text}`);
        }
      };
      expect((await thrownBy(loop())).value).toBe(value);
    });

    test('lets go of the stream that it listened to', async () => {
      const value = new Error('my page');
      let isReturned = false;
      const stream = (async function* () {
        try {
          for (;;) {
            yield samples;
            await Promise.resolve();
          }
        } finally {
          isReturned = true;
        }
      })();
      const work = model.transcribe(stream, {
        onProgress: ({ loaded }) => {
          if (loaded > 0) throw value;
        },
      });
      expect((await thrownBy(work)).value).toBe(value);
      expect(isReturned).toBe(true);
    });

    test('while others wait for their turn', async () => {
      const value = new Error('my page');
      for (let i = 0; i < times; ++i) {
        const [failed, tokens, memory] = await Promise.all([
          thrownBy(model.transcribe(samples, { onProgress: throwing(value) })),
          model.tokenizer.encode(' one'),
          model.memory(),
        ]);
        expect(failed.value).toBe(value);
        expect(tokens).toEqual([257]);
        expect(memory.weightBytes).toBeGreaterThan(1e6);
      }
      await expectSound();
    });
  });

  test('a loop over segments that throws stops the work', async () => {
    const value = new Error('my page');
    const work = model.transcribe(samples);
    const loop = async (): Promise<void> => {
      for await (const segment of work) if (segment.text) throw value;
    };
    expect((await thrownBy(loop())).value).toBe(value);
  });

  test.each(thrown)(
    'a stream of audio that throws %s is a source that failed',
    async (_what, value) => {
      const stream = (async function* () {
        yield samples.subarray(0, 1000);
        await Promise.resolve();
        throw value;
      })();
      const error = await errorOf(model.transcribe(stream));
      expect(error).toMatchObject({ code: 'source_failed', details: { subject: 'audio' } });
      expect((error as Error).cause).toBe(value);
    },
  );

  test.each(thrown)('a progress callback of loadModel() that throws %s', async (_what, value) => {
    const work = load(modelPath, { onProgress: throwing(value) });
    expect(await thrownBy(work)).toEqual({ value });
  });

  test('a source of loadModel() that throws is a source that failed', async () => {
    const value = new Error('my network');
    const source = (async function* () {
      yield* inPieces(modelBytes().subarray(0, 300_000), 100_000);
      throw value;
    })();
    const error = await errorOf(load(source));
    expect(error).toMatchObject({ code: 'source_failed', cause: value });
  });

  describe('a wrong argument is refused by name', () => {
    const lone = 'one \uD83D two';
    const text = 'text without lone surrogates';
    const window = '{data, nMels, nFrames}: one window of 80 × 3000 values in a Float32Array';
    const data = new Float32Array(80 * 3000);
    const calls: readonly (readonly [
      call: string,
      details: { readonly subject: string; readonly expected: string; readonly got: string },
      call: (any: (value: unknown) => never) => PromiseLike<unknown>,
    ])[] = [
      ...(
        [
          ['undefined', undefined],
          ['null', null],
          ['5', 5],
          ['an object', {}],
        ] as const
      ).map(([got, value]) => {
        return [
          `tokenizer.encode(${got})`,
          { subject: 'text', expected: text, got },
          (any: (value: unknown) => never) => model.tokenizer.encode(any(value)),
        ] as const;
      }),
      [
        'tokenizer.encode(lone surrogate)',
        { subject: 'text', expected: text, got: JSON.stringify(lone) },
        () => model.tokenizer.encode(lone),
      ],
      ...[undefined, null, 'one', { length: 2 }].map((value) => {
        const got = { undefined: 'undefined', object: 'an object', string: '"one"' }[
          typeof value as 'undefined' | 'object' | 'string'
        ];
        return [
          `tokenizer.decode(${JSON.stringify(value)})`,
          { subject: 'tokens', expected: 'token ids', got: value === null ? 'null' : got },
          (any: (value: unknown) => never) => model.tokenizer.decode(any(value)),
        ] as const;
      }),
      [
        'tokenizer.decode([1.5])',
        { subject: 'tokens', expected: 'token ids', got: 'an array of 1' },
        () => model.tokenizer.decode([1.5]),
      ],
      [
        'logits(undefined)',
        { subject: 'tokens', expected: 'token ids', got: 'undefined' },
        (any) => model.logits(any(undefined)),
      ],
      [
        'logits([-1])',
        { subject: 'tokens', expected: 'token ids', got: 'an array of 1' },
        () => model.logits([-1]),
      ],
      [
        'encode(undefined)',
        { subject: 'mel', expected: window, got: 'undefined' },
        (any) => model.encode(any(undefined)),
      ],
      [
        'encode(no array)',
        { subject: 'mel.data', expected: 'a Float32Array', got: 'an object' },
        (any) => model.encode(any({ nMels: 80, nFrames: 3000, data: { length: 240_000 } })),
      ],
      [
        'encode(doubles)',
        { subject: 'mel.data', expected: 'a Float32Array', got: 'a Float64Array' },
        (any) => model.encode(any({ nMels: 80, nFrames: 3000, data: new Float64Array(240_000) })),
      ],
      [
        'encode(another window)',
        { subject: 'mel', expected: window, got: '"80 × 1500 (240000 values)"' },
        () => model.encode({ nMels: 80, nFrames: 1500, data }),
      ],
      [
        'align(undefined)',
        { subject: 'text', expected: text, got: 'undefined' },
        (any) => model.align(samples, any(undefined)),
      ],
      [
        'align(lone surrogate)',
        { subject: 'text', expected: text, got: JSON.stringify(lone) },
        () => model.align(samples, lone),
      ],
      [
        'score(lone surrogate)',
        {
          subject: 'candidates',
          expected: `a list of 1 to 1000 texts without lone surrogates`,
          got: 'an array of 2',
        },
        () => model.score(samples, ['one', lone]),
      ],
      [
        'transcribe(initialPrompt)',
        {
          subject: 'initialPrompt',
          expected: `${text}, or a list of token ids below 1776`,
          got: JSON.stringify(lone),
        },
        () => model.transcribe(samples, { initialPrompt: lone }),
      ],
    ];
    test.each(calls)('%s', async (_call, details, call) => {
      const error = await errorOf(call((value) => value as never));
      expect(error).toMatchObject({ code: 'invalid_argument', details });
      expect((error as Error).message).toBe(
        `Option ${details.subject} must be ${details.expected}; it is ${details.got}.`,
      );
      expect(await model.tokenizer.encode(' one two')).toEqual([257, 258]);
    });
  });

  const nothing = null as never;
  const withoutOptions: Record<string, (audio: Float32Array) => PromiseLike<unknown>> = {
    transcribe: (audio) => model.transcribe(audio, nothing),
    stream: () => Promise.resolve().then(() => model.stream(nothing)),
    decode: (audio) => model.decode(audio, nothing),
    align: (audio) => model.align(audio, 'one', nothing),
    score: (audio) => model.score(audio, ['one'], nothing),
    detectLanguage: (audio) => model.detectLanguage(audio, nothing),
    logMel: (audio) => model.logMel(audio, nothing),
  };
  test.each(Object.keys(withoutOptions))('%s() refuses null as its options', async (name) => {
    expect(await errorOf(withoutOptions[name]!(samples))).toMatchObject({
      code: 'invalid_argument',
      details: { subject: 'options', expected: 'an object', got: 'null' },
    });
  });

  /** Sound whose memory another thread has now. */
  const given: Record<string, (sound: Float32Array) => AudioInput | AudioStream> = {
    samples: (sound) => sound,
    bytes: (sound) => new Uint8Array(sound.buffer),
    channels: (sound) => ({ samples: [sound], sampleRate: 16000 }),
    'interleaved samples': (sound) => ({ samples: sound, sampleRate: 16000, channels: 1 }),
    'a chunk of a stream': async function* (sound) {
      yield await Promise.resolve(sound);
    },
  };
  const transfer = ({ buffer }: Float32Array) => structuredClone(buffer, { transfer: [buffer] });
  test.each(Object.keys(given))('%s that were transferred are no silence', async (what) => {
    const sound = samples.slice();
    const audio = given[what]!(sound);
    transfer(sound);
    const refused = {
      code: 'invalid_argument',
      details: { subject: 'audio', got: expect.stringContaining('transferred') },
    };
    expect(await errorOf(model.transcribe(audio))).toMatchObject(refused);
    if (what === 'samples') {
      await using stream = model.stream({ vad: false });
      expect(await errorOf(stream.feed(sound))).toMatchObject(refused);
    }
  });

  test('nor are samples that are transferred while others have their turn', async () => {
    const sound = samples.slice();
    const first = model.transcribe(samples);
    const second = errorOf(model.transcribe(sound));
    transfer(sound);
    expect((await first).text.trim()).toBe(sampleText);
    expect(await second).toMatchObject({ code: 'invalid_argument', details: { subject: 'audio' } });
  });

  test('nor are a model and tokens', async () => {
    const [bytes, tokens] = [Uint8Array.from(modelBytes()), Uint32Array.of(257)];
    structuredClone(null, { transfer: [bytes.buffer, tokens.buffer] });
    for (const source of [bytes, bytes.buffer]) {
      expect(await errorOf(load(source))).toMatchObject({
        code: 'invalid_argument',
        details: { subject: 'source' },
      });
    }
    expect(await errorOf(model.logits(tokens))).toMatchObject({
      code: 'invalid_argument',
      details: { subject: 'tokens' },
    });
  });
});

describe('a progress callback that throws what looks like an error of the file system', () => {
  let folder: string;
  let susurrus: Awaited<ReturnType<typeof builtPackage>>;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'susurrus-callback-'));
    susurrus = await builtPackage();
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const value = Object.assign(new Error('no such file'), { code: 'ENOENT' });
  const onProgress = throwing(value);
  const key = new Uint8Array(32);

  const calls: Record<string, (target: string) => Promise<unknown>> = {
    inspect: () => susurrus.inspect(modelPath, { onProgress }),
    'inspect, with statistics': () => susurrus.inspect(modelPath, { stats: true, onProgress }),
    openModelFile: () => susurrus.openModelFile(modelPath, { onProgress }),
    verifyModel: () => susurrus.verifyModel(modelPath, { onProgress }),
    convertModel: (target) => susurrus.convertModel(modelPath, target, { onProgress }),
    'convertModel into a folder': (target) =>
      susurrus.convertModel(modelPath, target, { format: 'safetensors', onProgress }),
    encryptModel: (target) => susurrus.encryptModel(modelPath, target, { key, onProgress }),
    signModel: (target) => susurrus.signModel(modelPath, target, { key, onProgress }),
    addPieceDigests: (target) => susurrus.addPieceDigests(modelPath, target, { onProgress }),
    shardModel: (target) => susurrus.shardModel(modelPath, target, { size: 1 << 20, onProgress }),
    unshardModel: (target) => susurrus.unshardModel(modelPath, target, { onProgress }),
    'extract a tensor': (target) =>
      susurrus.extract(modelPath, 'tensor:decoder.token_embedding.weight', target, { onProgress }),
    'extract a network': (target) =>
      susurrus.extract(modelPath, 'network:encoder', target, { onProgress }),
    'extract the vocabulary': (target) =>
      susurrus.extract(modelPath, 'vocabulary', target, { onProgress }),
  };
  test.each(Object.keys(calls))('%s rejects with it and leaves nothing behind', async (name) => {
    expect((await thrownBy(calls[name]!(join(folder, 'out')))).value).toBe(value);
    expect(readdirSync(folder)).toEqual([]);
  });
});
