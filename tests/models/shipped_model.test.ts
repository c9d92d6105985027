import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { builtPackage } from '../support/built_package.js';
import { limit } from '../support/limits.js';
import { describeWithShared, projectRoot, sharedFolder } from '../support/shared_folder.js';

jest.setTimeout(limit(600_000));

const shipped = join(projectRoot, 'models/digits.apr');
const trained = join(sharedFolder, 'digits-model/model');
const evaluation = join(sharedFolder, 'digits-model/eval');

interface Recording {
  readonly file: string;
  readonly text: string;
  readonly timestamps?: { readonly window: number[]; readonly transcribe: number[] };
  readonly notimestamps?: { readonly window: number[]; readonly transcribe: number[] };
}

/** Words to substitute, insert or delete to turn one text into the other. */
function wordErrors(said: string[], heard: string[]): number {
  let row = heard.map((_, i) => i + 1);
  said.forEach((word, i) => {
    let diagonal = i;
    let left = i + 1;
    row = heard.map((other, j) => {
      const above = row[j]!;
      left = Math.min(above + 1, left + 1, diagonal + (word === other ? 0 : 1));
      diagonal = above;
      return left;
    });
  });
  return heard.length === 0 ? said.length : row.at(-1)!;
}

const words = (text: string) => text.split(/\s+/).filter(Boolean);

test('words are counted as they should be', () => {
  expect(wordErrors([], [])).toBe(0);
  expect(wordErrors(['one'], [])).toBe(1);
  expect(wordErrors([], ['one', 'two'])).toBe(2);
  expect(wordErrors(['one', 'two', 'three'], ['one', 'three'])).toBe(1);
  expect(wordErrors(['one', 'two'], ['two', 'one', 'two'])).toBe(1);
  expect(wordErrors(['one', 'two', 'three'], ['one', 'six', 'three', 'four'])).toBe(2);
});

describeWithShared(['digits-model/eval', 'digits-model/model'], 'the shipped model', () => {
  const { recordings } = JSON.parse(readFileSync(join(evaluation, 'expected.json'), 'utf8')) as {
    recordings: Recording[];
  };

  /** Word error rate over all recordings, and how many expected token lists came out as they are. */
  async function measure(path: string) {
    const { loadModel } = await builtPackage();
    const model = await loadModel<'whisper'>(path);
    let errors = 0;
    let total = 0;
    let kept = 0;
    let lists = 0;
    for (const { file, text, ...expected } of recordings) {
      const sound = readFileSync(join(evaluation, file));
      for (const [timestamps, key] of [
        ['segment', 'timestamps'],
        ['none', 'notimestamps'],
      ] as const) {
        // What the lists were made with.
        const options = { timestamps, temperature: 0, compatibility: 'openai' } as const;
        const result = await model.transcribe(sound, options);
        errors += wordErrors(words(text), words(result.text));
        total += words(text).length;
        const wanted = expected[key];
        if (!wanted) continue;
        const { tokens } = await model.decode(sound, options);
        const transcribed = result.segments.flatMap((segment) => [...segment.tokens]);
        lists += 2;
        kept += Number(JSON.stringify(tokens) === JSON.stringify(wanted.window));
        kept += Number(JSON.stringify(transcribed) === JSON.stringify(wanted.transcribe));
      }
    }
    model.dispose();
    return { errorRate: errors / total, kept, lists };
  }

  test('errs no more than half a point above f32 weights', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'susurrus-digits-'));
    try {
      const exact = join(folder, 'f32.apr');
      const { convertModel } = await builtPackage();
      await convertModel(trained, exact, { dtype: 'f32' });
      const f32 = await measure(exact);
      const ours = await measure(shipped);
      process.stderr.write(
        `  digits.apr: ${ours.kept} of ${ours.lists} token lists kept, word error rate ` +
          `${(100 * ours.errorRate).toFixed(2)} % (f32: ${(100 * f32.errorRate).toFixed(2)} %)\n`,
      );
      expect(f32.lists).toBeGreaterThan(50);
      expect(f32.kept).toBe(f32.lists);
      expect(ours.errorRate).toBeLessThanOrEqual(f32.errorRate + 0.005);
      // f16 was chosen because it keeps every one.
      expect(ours.kept).toBe(ours.lists);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
