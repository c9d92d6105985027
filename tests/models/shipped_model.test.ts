import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { builtPackage } from '../support/built_package.js';
import { testModel } from '../support/goldens_models.js';
import { limit } from '../support/limits.js';
import { describeWithShared, projectRoot, sharedFolder } from '../support/shared_folder.js';

jest.setTimeout(limit(600_000));

const shipped = join(projectRoot, 'models/digits.apr');
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

  /** Word errors over these recordings, and how many expected token lists came out as they are. */
  async function measure(path: string, chosen: readonly Recording[]) {
    const { loadModel } = await builtPackage();
    const model = await loadModel<'whisper'>(path);
    let errors = 0;
    let total = 0;
    let kept = 0;
    let lists = 0;
    for (const { file, text, ...expected } of chosen) {
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
    return { errors, total, kept, lists };
  }

  test('errs no more than half a point above f32 weights', async () => {
    const isListed = ({ timestamps, notimestamps }: Recording) => timestamps && notimestamps;
    const listed = await measure(shipped, recordings.filter(isListed));
    // f16 was chosen because it keeps every list of f32 weights, which conformance/digits has of them.
    expect(listed.lists).toBeGreaterThan(50);
    expect(listed.kept).toBe(listed.lists);
    // So the errors there are those of f32 weights too; what remains is heard with both.
    const others = recordings.filter((each) => !isListed(each));
    expect(others.length).toBeGreaterThan(1);
    const ours = await measure(shipped, others);
    const f32 = await measure(await testModel('digits'), others);
    const total = listed.total + ours.total;
    const rate = ({ errors }: { errors: number }) => (100 * (listed.errors + errors)) / total;
    process.stderr.write(
      `  digits.apr: ${listed.kept} of ${listed.lists} token lists kept, word error rate ` +
        `${rate(ours).toFixed(2)} % (f32: ${rate(f32).toFixed(2)} %)\n`,
    );
    expect(rate(ours)).toBeLessThanOrEqual(rate(f32) + 0.5);
  });
});
