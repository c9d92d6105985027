// The goldens from APR1, and from what it is upgraded to: f32 gives the reference's tokens exactly, int8 what it gives is
// measured.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { relativeError } from '../../scripts/evaluate/accuracy/measures.mjs';
import type { FilterbankChoice, WhisperModel } from '../../web/src/api/types.js';
import { builtPackage } from '../support/built_package.js';
import { toDecodeOptions, toTranscribeOptions } from '../support/golden_options.js';
import {
  expected,
  goldenModels,
  type DecodeGolden,
  type GoldenModel,
  type TranscribeGolden,
} from '../support/goldens.js';
import { goldenAudio } from '../support/goldens_audio.js';
import { testModel, vocabularyOf } from '../support/goldens_models.js';
import { htkFilterbank } from '../support/htk_filterbank.js';
import { expectSameTensors } from '../support/same_tensors.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';

describeWithShared(['golden'], 'the goldens from APR1', () => {
  const root = mkdtempSync(join(tmpdir(), 'susurrus-goldens-apr1-'));
  afterAll(() => rmSync(root, { recursive: true }));

  async function convert(name: GoldenModel, dtype: 'f32' | 'f16' | 'int8') {
    const { convertModel, upgradeModel } = await builtPackage();
    const files = { v1: join(root, `${name}-${dtype}.v1`), v2: join(root, `${name}-${dtype}.v2`) };
    await convertModel(join(sharedFolder, `golden/models/${name}`), files.v1, {
      ...{ format: 'apr1', dtype, vocabulary: vocabularyOf(name) },
    });
    await upgradeModel(files.v1, files.v2);
    return files;
  }

  const load = async (path: string): Promise<WhisperModel> =>
    (await builtPackage()).loadModel<'whisper'>(path);

  test('a filterbank of the model’s own gives APR1 and APR2 the same tokens', async () => {
    const { convertModel, upgradeModel, loadModel } = await builtPackage();
    const folder = join(root, 'own');
    cpSync(join(sharedFolder, 'golden/models/micro'), folder, { recursive: true });
    const weights = htkFilterbank(80).map((weight, i) => weight * (1 + Math.floor(i / 201) / 80));
    const mel_filters = Array.from({ length: 80 }, (_, mel) =>
      Array.from(weights.subarray(201 * mel, 201 * (mel + 1))),
    );
    writeFileSync(join(folder, 'preprocessor_config.json'), JSON.stringify({ mel_filters }));
    const [two, one, again] = ['own2', 'own1', 'own3'].map((name) => join(root, name)) as [
      ...[string, string, string],
    ];
    await convertModel(folder, two, { dtype: 'f32', vocabulary: vocabularyOf('micro') });
    await convertModel(two, one, { format: 'apr1', dtype: 'f32' });
    await upgradeModel(one, again);
    const goldens = (expected('micro', 'decode') as DecodeGolden[]).slice(0, 3);
    const listen = async (path: string, filterbank: FilterbankChoice) => {
      using model = await loadModel<'whisper'>(path, { filterbank });
      const tokens: number[][] = [];
      for (const { audio, options } of goldens) {
        const found = await model.decode(goldenAudio(audio), toDecodeOptions(options));
        tokens.push([...found.tokens]);
      }
      const { data } = await model.logMel(goldenAudio(goldens[0]!.audio).subarray(0, 16000));
      return { tokens, mel: [...data] };
    };
    const own = await listen(two, 'auto');
    for (const path of [one, again]) expect(await listen(path, 'auto')).toEqual(own);
    const whispers = await listen(one, 'whisper');
    expect(whispers.mel).not.toEqual(own.mel);
    expect(whispers.tokens).toEqual(goldens.map(({ tokens }) => tokens));
  });

  describe.each(goldenModels)('%s', (name) => {
    let files: Awaited<ReturnType<typeof convert>>;
    beforeAll(async () => {
      files = await convert(name, 'f32');
    });

    /** Compares the first goldens of decode(), then of transcribe(); the rest would show nothing new about the weights. */
    async function expectGoldens(path: string, decoded: number, transcribed: number) {
      using model = await load(path);
      const goldens = expected(name, 'decode') as DecodeGolden[];
      expect(goldens.length).toBeGreaterThan(0);
      for (const { audio, options, tokens, text, id } of goldens.slice(0, decoded)) {
        const found = await model.decode(goldenAudio(audio), toDecodeOptions(options));
        expect([audio, id, [...found.tokens], found.text]).toEqual([audio, id, tokens, text]);
      }
      const whole = expected(name, 'transcribe') as TranscribeGolden[];
      for (const golden of whole.slice(0, transcribed)) {
        const options = toTranscribeOptions(golden.options);
        const found = await model.transcribe(goldenAudio(golden.audio), options);
        const tokens = golden.segments.map((segment) => [...segment.tokens]);
        expect(found.segments.map((segment) => [...segment.tokens])).toEqual(tokens);
        expect(found.text).toBe(golden.text);
      }
    }

    test('f32 as APR1 gives the reference’s tokens and text', async () => {
      await expectGoldens(files.v1, 3, 1);
    });

    test('f32 upgraded has the weights of a conversion to APR2, and gives the same', async () => {
      const { openModelFile } = await builtPackage();
      using upgraded = await openModelFile(files.v2);
      using direct = await openModelFile(await testModel(name));
      await expectSameTensors(upgraded, direct);
      await expectGoldens(files.v2, 2, 1);
    });

    test('int8 drifts as far as 8 bits a tensor go', async () => {
      const int8 = await convert(name, 'int8');
      const { upgradeModel } = await builtPackage();
      const compact = join(root, `${name}-q8_0.v2`);
      await upgradeModel(int8.v1, compact, { dtype: 'q8_0' });
      const goldens = expected(name, 'decode') as DecodeGolden[];
      const listen = async (path: string) => {
        using model = await load(path);
        const { startOfTranscript } = model.tokenizer.special;
        const states: Float32Array[] = [];
        const choices: number[] = [];
        const errors: Float32Array[] = [];
        for (const { audio, tokens } of goldens.slice(0, 2)) {
          states.push(
            await model.encode(await model.logMel(goldenAudio(audio).subarray(0, 480000))),
          );
          for (let count = 0; count < Math.min(12, tokens.length); ++count) {
            const logits = await model.logits([startOfTranscript, ...tokens.slice(0, count)]);
            choices.push(logits.indexOf(logits.reduce((a, b) => Math.max(a, b))));
            errors.push(logits);
          }
        }
        return { states, choices, logits: errors };
      };
      const exact = await listen(await testModel(name));
      const rows: string[] = [];
      for (const [label, path] of [
        ['APR1 int8', int8.v1],
        ['upgraded, exact', int8.v2],
        ['upgraded, q8_0', compact],
      ] as const) {
        const found = await listen(path);
        const mean = (a: Float32Array[], b: Float32Array[]) =>
          a.reduce((sum, each, i) => sum + relativeError(each, b[i]!), 0) / a.length;
        const encoder = mean(found.states, exact.states);
        const logits = mean(found.logits, exact.logits);
        const same = found.choices.filter((choice, i) => choice === exact.choices[i]).length;
        const top1 = same / exact.choices.length;
        rows.push(
          `${name}, ${label}: encoder ${encoder.toFixed(4)}, logits ${logits.toFixed(4)}, ` +
            `top-1 ${(100 * top1).toFixed(1)} %`,
        );
        expect(encoder).toBeGreaterThan(0);
        expect(encoder).toBeLessThan(0.15);
        expect(top1).toBeGreaterThan(0.5);
      }
      process.stderr.write(`${rows.join('\n')}\n`);
    });

    test('f16 runs', async () => {
      const { v1, v2 } = await convert(name, 'f16');
      using model = await load(v1);
      using upgraded = await load(v2);
      const [golden] = expected(name, 'decode') as DecodeGolden[];
      const options = toDecodeOptions(golden!.options);
      const samples = goldenAudio(golden!.audio);
      const text = (await model.decode(samples, options)).text;
      expect((await upgraded.decode(samples, options)).text).toBe(text);
    });
  });
});
