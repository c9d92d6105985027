// Trained weights of tiny.en and base: what openai-whisper makes of real recordings with them, exactly.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type {
  ConvertOptions,
  LanguageProbability,
  LoadOptions,
  WhisperModel,
  ModelFile,
  Segment,
} from '../../web/src/api/types.js';
import { hasSettledRelaxedSimd } from '../../scripts/toolchain/node_flags.mjs';
import { ensureTrainedModel } from '../../scripts/trained_model.mjs';
import { nothing } from '../../scripts/evaluate/modes/nothing_sounds.mjs';
import { builtPackage } from '../support/built_package.js';
import { sharedJson, tolerances, type SegmentGolden } from '../support/goldens.js';
import { wavSamples } from '../support/goldens_audio.js';
import { expectSameTensors } from '../support/same_tensors.js';
import { describeWithShared } from '../support/shared_folder.js';
import { describerWithTrained, describeWithTrained } from '../support/trained_model.js';

interface Expected {
  readonly text: string;
  readonly segments: readonly SegmentGolden[];
  /** The language that a multilingual model detected. */
  readonly language?: string;
  /** The languages that a multilingual model finds most probable. */
  readonly languages?: readonly LanguageProbability[];
}

/** Text tokens in GPT-2's vocabulary, which English-only models use. */
const textTokens = 50257;

const cents = (seconds: number) => Math.round(100 * seconds);

/** The result of the reference, in its default mode with word times, as far as it was recorded. */
async function expectSameTranscript(
  model: WhisperModel,
  recording: string,
  golden: Expected,
  language: string,
): Promise<void> {
  const result = await model.transcribe(wavSamples(`recordings/audio/${recording}`), {
    ...{ language, temperature: 0, timestamps: 'word', compatibility: 'openai' },
  });
  expect(result.text).toBe(golden.text);
  const exactly = ({ tokens, words = [] }: Segment | SegmentGolden) => [
    [...tokens],
    words.map(({ word, start, end }) => [word, cents(start), cents(end)]),
  ];
  expect(result.segments.map(exactly)).toEqual(golden.segments.map(exactly));
  result.segments.forEach(({ avgLogprob, noSpeechProb }, i) => {
    const like = golden.segments[i]!;
    expect(Math.abs(avgLogprob - like.avg_logprob)).toBeLessThan(tolerances.avgLogprob);
    expect(Math.abs(noSpeechProb - like.no_speech_prob)).toBeLessThan(tolerances.probability);
  });
  expect(result.language).toBe(golden.language ?? 'en');
}

const engines: [string, LoadOptions][] = [
  ['simd', { variant: 'simd' }],
  ['relaxed', { variant: 'relaxed' }],
  ['two threads', { threads: 2 }],
];

describeWithTrained('tiny.en', () => {
  describeWithShared(['trained', 'recordings'], 'on real recordings', () => {
    const files = mkdtempSync(join(tmpdir(), 'susurrus-trained-'));
    afterAll(() => rmSync(files, { recursive: true }));

    let path: string;
    beforeAll(async () => {
      path = await ensureTrainedModel({ dtype: 'f32' });
    });

    const expected = Object.entries(
      sharedJson('trained/expected/tiny.en.json') as Record<string, Expected>,
    );

    const isShort = ([, { segments }]: (typeof expected)[number]) => segments.at(-1)!.end < 15;

    describe.each(engines)('with %s', (_name, options) => {
      let model: WhisperModel;
      beforeAll(async () => {
        model = await (await builtPackage()).loadModel<'whisper'>(path, options);
      });
      afterAll(() => model.dispose());

      test('is what was asked for', () => {
        expect(model.info).toMatchObject(options);
      });

      // Threads change no bit of what is computed, and relaxed SIMD that is not settled takes twice as long: a short one is
      // enough there, as conformance/digits has dozens.
      const isFull = options.variant === 'simd' || (options.variant && hasSettledRelaxedSimd());
      const chosen = isFull ? expected : expected.filter(isShort).slice(0, 1);
      test.each(chosen)('%s', async (recording, golden) => {
        await expectSameTranscript(model, recording, golden, 'en');
      });
    });

    describe('in the default mode', () => {
      const rate = 16000;
      const silence = (seconds: number) => new Float32Array(seconds * rate);
      const noise = (seconds: number) =>
        silence(seconds).map((_, i) => 0.01 * Math.sin(1e4 * Math.sin(i)));
      const sentence = (name: string) => wavSamples(`recordings/audio/${name}.wav`);
      const joined = (...parts: Float32Array[]) =>
        Float32Array.from(parts.flatMap((part) => [...part]));

      // 8 bit weights are heard in half the time.
      let model: WhisperModel;
      beforeAll(async () => {
        const small = await ensureTrainedModel({ dtype: 'q8_0' });
        model = await (await builtPackage()).loadModel<'whisper'>(small, { variant: 'simd' });
      });
      afterAll(() => model.dispose());

      test.each([
        ['digital silence', silence(61)],
        ['less than a second of it', silence(0.4)],
        ['steady noise', noise(61)],
      ])('%s has no text', async (_name, samples) => {
        const { text, segments } = await model.transcribe(samples);
        expect({ text, segments }).toEqual({ text: '', segments: [] });
      });

      test.each([
        ['silence', silence],
        ['noise', noise],
      ])('40 s of %s between two sentences have no text either', async (_name, gap) => {
        const [first, second] = [sentence('austen_0870'), sentence('austen_0880')];
        const { segments } = await model.transcribe(joined(first, gap(40), second));
        const pause = first.length / rate;
        const before = segments.filter(({ end }) => end < pause + 1);
        const after = segments.filter(({ start }) => start > pause + 38);
        expect([...before, ...after]).toEqual(segments);
        expect(before.map(({ text }) => text).join('')).toContain('John Dashwood');
        expect(after.map(({ text }) => text).join('')).toContain('young man');
      });

      test('music that the reference writes down as dots has no text', async () => {
        const music = nothing('music: chords', 60).subarray(0, 30 * rate);
        const asReference = { compatibility: 'openai', temperature: 0 } as const;
        expect((await model.transcribe(music, asReference)).text).toBe(' .');
        const { text, rejected } = await model.transcribe(music, { temperature: 0 });
        expect(text).toBe('');
        expect(rejected.map(({ decision }) => decision)).toEqual(['dropped:no-speech']);
      });

      test('a window of which nothing good can be made keeps its best attempt', async () => {
        // The second half is in another language. Without timestamps, 8 bit weights go round in circles there, as do the
        // reference's f32 weights nearly.
        const { text, segments } = await model.transcribe(sentence('licence'), {
          timestamps: 'none',
        });
        expect(segments).toHaveLength(2);
        const { attempts, avgLogprob, decision } = segments[1]!;
        expect(attempts).toHaveLength(6);
        expect(avgLogprob).toBe(Math.max(...attempts.map((attempt) => attempt.avgLogprob)));
        expect(decision).toBe('retried:repetition');
        expect(text).not.toMatch(/(\S{3,})([ -]\1){2}/);
      });

      test('speech after half a minute of silence is where it was said', async () => {
        const speech = sentence('jfk');
        const [alone, later] = [
          await model.transcribe(speech, { timestamps: 'word' }),
          await model.transcribe(joined(silence(40), speech), { timestamps: 'word' }),
        ];
        expect(later.segments[0]!.words![0]!.word).toBe(alone.segments[0]!.words![0]!.word);
        expect(later.segments[0]!.start).toBeGreaterThanOrEqual(39.5);
        expect(later.segments[0]!.start).toBeLessThan(41);
      });
    });

    const detours: [string, string, ConvertOptions][] = [
      ['SafeTensors', 'hub', { format: 'safetensors', dtype: 'f32' }],
      ['ggml', 'tiny.en.ggml', { format: 'ggml', dtype: 'f32' }],
      ['APR1', 'tiny.en.apr1', { format: 'apr1', dtype: 'f32' }],
    ];

    test.each(detours)('weights by way of %s are the same', async (_name, between, options) => {
      const { convertModel, upgradeModel, openModelFile } = await builtPackage();
      const detour = join(files, between);
      const arrived = join(files, `${between}.apr`);
      await convertModel(path, detour, options);
      if (options.format === 'apr1') await upgradeModel(detour, arrived, { compress: 'none' });
      else await convertModel(detour, arrived, { dtype: 'f32', compress: 'none' });
      using straight = await openModelFile(path);
      using found = await openModelFile(arrived);
      await expectSameTensors(found, straight);
      // ggml has no names of special tokens.
      const tokens = async (file: ModelFile) =>
        (await file.vocabulary())!
          .slice(0, textTokens)
          .map(({ bytes, text }) => `${Buffer.from(bytes).toString('hex')} ${text}`);
      const [some, all] = [await tokens(found), await tokens(straight)];
      expect([some.length, all.length]).toEqual([textTokens, textTokens]);
      // jest would visit each token many times.
      expect(some.join('\n') === all.join('\n')).toBe(true);
    });
  });
});

const describeWithBase = await describerWithTrained('base');

// All twelve recordings in both engines: npm run test:reference -- --model base.
describeWithBase('base', () => {
  describeWithShared(['trained', 'recordings'], 'on recordings of three languages', () => {
    const expected = sharedJson('trained/expected/base.json') as Record<string, Expected>;

    let model: WhisperModel;
    /** Twice as fast, for what need not be exact. */
    let quantised: WhisperModel;
    beforeAll(async () => {
      const { loadModel } = await builtPackage();
      const loaded = async (dtype: 'f32' | 'q8_0'): Promise<WhisperModel> =>
        loadModel<'whisper'>(await ensureTrainedModel({ name: 'base', dtype }), {
          variant: 'simd',
        });
      model = await loaded('f32');
      quantised = await loaded('q8_0');
    });
    afterAll(() => {
      model.dispose();
      quantised.dispose();
    });

    test.each(['jfk.wav', 'french.wav', 'chinese.wav'])('%s', async (recording) => {
      const golden = expected[recording]!;
      const found = await model.detectLanguage(wavSamples(`recordings/audio/${recording}`));
      golden.languages!.forEach(({ language, probability }, i) => {
        expect(found[i]!.language).toBe(language);
        expect(Math.abs(found[i]!.probability - probability)).toBeLessThan(tolerances.probability);
      });
      // Told, so that the encoder runs twice and not three times: each run takes 4 s of a processor.
      await expectSameTranscript(model, recording, golden, found[0]!.language);
    });

    describe('in an encoder context that fits', () => {
      const french = () => wavSamples('recordings/audio/french.wav');
      const chinese = () => wavSamples('recordings/audio/chinese.wav');
      const inFrench = { language: 'fr', encoderContext: 'auto', temperature: 0 } as const;
      const inChinese = { ...inFrench, language: 'zh' } as const;

      test('beams choose the most probable of the allowed phrases, not the shortest', async () => {
        const allowed = ["c'est la dictée numéro un", "c'est la dictée numéro deux", 'la dictée'];
        const scores = await quantised.score(french(), allowed, { language: 'fr' });
        expect(Math.max(...scores.map(({ logprob }) => logprob))).toBe(scores[0]!.logprob);
        for (const beamSize of [3, 5]) {
          const { text } = await quantised.transcribe(french(), { ...inFrench, allowed, beamSize });
          expect(text.trim()).toBe(allowed[0]);
        }
      });

      test('a hot word corrects, and however heavy takes nothing else away', async () => {
        // Without it another character of the same sound is heard.
        const foot = [{ text: '砸自己的脚', weight: 10 }];
        const corrected = await quantised.transcribe(chinese(), { ...inChinese, hotwords: foot });
        expect(corrected.text).toBe('砸自己的脚');
        const hotwords = [{ text: 'dictée', weight: 20 }];
        const { text, segments } = await quantised.transcribe(french(), { ...inFrench, hotwords });
        expect(text).toMatch(/^ et c'est la dictée numéro/);
        expect(segments[0]!.attempts.map(({ decision }) => decision)).toEqual([
          'retried:encoder-context',
          'retried:repetition',
          'kept',
        ]);
      });

      test('Chinese words are aligned by character, in order, without blanks', async () => {
        const words = await quantised.align(chinese(), '砸自己的脚', { language: 'zh' });
        expect(words.map(({ word }) => word).join('')).toBe('砸自己的脚');
        words.slice(1).forEach(({ start }, i) => {
          expect(start).toBeGreaterThanOrEqual(words[i]!.end);
        });
        const { text } = await quantised.transcribe(chinese(), {
          ...inChinese,
          allowed: ['砸', '自己', '的脚'],
          beamSize: 3,
        });
        expect(text).toBe('砸自己的脚');
      });
    });

    test('a window ends where another language begins', async () => {
      const pause = new Float32Array(12_000);
      const parts = ['jfk', 'french', 'chinese'].flatMap((name) => [
        ...wavSamples(`recordings/audio/${name}.wav`),
        ...pause,
      ]);
      const options = { language: 'per-window', temperature: 0 } as const;
      const { segments, languages } = await quantised.transcribe(Float32Array.from(parts), options);
      expect(languages!.map(({ language }) => language)).toEqual(['en', 'fr', 'zh']);
      const texts = ['en', 'fr', 'zh'].map((code) =>
        segments.filter(({ language }) => language === code).map(({ text }) => text),
      );
      expect(texts.map((text) => text.join(''))).toEqual([
        expect.stringMatching(/^ And so my fellow Americans.* for your country\.$/),
        expect.stringMatching(/^ .*la dictée numéro/),
        expect.stringMatching(/自己的[脚腳]/),
      ]);
    });

    test('live, each utterance is in its own language and not in that of the prompt', async () => {
      const live = quantised.stream({ language: 'per-utterance' });
      const read = (async () => {
        const texts: string[] = [];
        let told: string | undefined;
        for await (const event of live) {
          if (event.type === 'language') told = event.language;
          if (event.type !== 'final' || event.text === '') continue;
          expect(event.language).toBe(told);
          texts.push(`${event.language}:${event.text}`);
        }
        return texts;
      })();
      for (const name of ['austen_0880', 'french', 'chinese']) {
        await live.feed(wavSamples(`recordings/audio/${name}.wav`));
        await live.feed(new Float32Array(16_000));
      }
      await live.close();
      expect(await read).toEqual([
        expect.stringMatching(/^en: He was not an ill.* young man\.$/),
        expect.stringMatching(/^fr: .*la dictée numéro/),
        expect.stringMatching(/^zh:.*自己的脚/),
      ]);
      expect(live.language).toMatchObject({ language: 'zh', type: 'language' });
    });
  });
});
