// One table of facts: what the engine does, what TypeScript checks and what the documents say are the rows of scripts/facts.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFacts, weightTypes } from '../../scripts/facts/read_facts.mjs';
import {
  checkDocuments,
  factFiles,
  generateFacts,
  withTables,
} from '../../scripts/generate_facts.mjs';
import {
  alignSettings,
  decodeSettings,
  languageSettings,
} from '../../web/src/model/decoding_options.js';
import { scoreSettings, transcribeSettings } from '../../web/src/model/decoding_options.js';
import type { MainModule, Model } from '../../web/src/engine/engine.mjs';
import type { SusurrusError } from '../../web/src/api/errors.js';
import * as dtypeFacts from '../../web/src/api/generated/dtypes.js';
import { errorNumbers } from '../../web/src/api/generated/errors.js';
import { fileMarks } from '../../web/src/api/generated/file_marks.js';
import { languageNames } from '../../web/src/api/generated/languages.js';
import * as whisperFacts from '../../web/src/api/generated/whisper.js';
import { optionUsage } from '../../web/src/api/generated/cli_options.js';
import { modelBytes } from '../support/embedded_model.js';
import { coreError, engineModule, pushAll } from '../support/engine_module.js';
import { builtPackage } from '../support/built_package.js';
import { projectRoot } from '../support/shared_folder.js';

const files = factFiles();
const cpp = (name: string): string => files[`build/generated/facts/${name}`] ?? '';
const { options } = readFacts('options');

interface Refusal {
  readonly subject: string;
  readonly expected: string;
}

let module: MainModule;
let model: Model;

beforeAll(async () => {
  module = await engineModule();
  const loader = new module.Loader();
  model = new module.Model();
  const error =
    pushAll(loader, modelBytes()) ?? coreError(loader.finish()) ?? coreError(model.create(loader));
  if (error) throw new Error(`The model does not load: ${JSON.stringify(error)}`);
  loader.delete();
});
afterAll(() => {
  model.delete();
});

interface ModelFacts {
  readonly dims: whisperFacts.Dimensions;
  readonly special: { readonly languages: Readonly<Record<string, number>> };
}

const facts = (): ModelFacts => JSON.parse(model.facts()) as ModelFacts;

/** How the engine itself refuses options, which the API's checks never let through. */
function refusedByEngine(given: object): Refusal | undefined {
  const work = new module.Transcriber();
  const error = work.begin(model, JSON.stringify(given), 16000, '');
  work.delete();
  return error === '' ? undefined : (JSON.parse(error) as Refusal);
}

function refusedByEngineForOneWindow(given: object): Refusal | undefined {
  const work = new module.WindowWork();
  const error = work.begin(model, 'decode', JSON.stringify({ options: given }), 16000);
  work.delete();
  return error === '' ? undefined : (JSON.parse(error) as Refusal);
}

/** How the checks in TypeScript do, by the function that takes the options. */
function refusedByChecks(call: string, given: object): Refusal | undefined {
  const { dims, special } = facts();
  const known = { dims, languages: Object.keys(special.languages) };
  try {
    if (call === 'transcribe') transcribeSettings(given, known, false);
    else if (call === 'decode') decodeSettings(given, known);
    else if (call === 'score') scoreSettings(given, known);
    else if (call === 'align') alignSettings(given, known);
    else languageSettings(given, known);
    return undefined;
  } catch (error) {
    const { subject = '', expected = '' } = (error as SusurrusError).details;
    return { subject, expected };
  }
}

describe('options', () => {
  const ranged = options.flatMap(({ name, kind, least, most }) =>
    least !== undefined && typeof most === 'number' && kind !== 'encoderContext'
      ? [{ name, kind, least, most }]
      : [],
  );

  test('of numbers are in the table', () => {
    expect(ranged.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['patience', 'temperature', 'seed', 'clipTimestamps']),
    );
  });

  test.each(ranged)(
    '$name beyond $least and $most is refused by both sides, with this range',
    ({ name, kind, least, most }) => {
      for (const wrong of [least - 1, most + 1]) {
        const given = { [name]: kind === 'times' ? [wrong] : wrong };
        for (const refusal of [refusedByEngine(given), refusedByChecks('transcribe', given)]) {
          expect(refusal?.subject).toBe(name);
          expect(refusal?.expected).toContain(`${least} to ${most}`);
        }
      }
    },
  );

  test('of numbers take their bounds', () => {
    const given = (name: string, value: number) =>
      name === 'patience' || name === 'beamSize'
        ? { beamSize: 16, patience: 16, [name]: value === 0.001 ? 0.1 : value }
        : { [name]: value };
    const single = ranged.filter(({ kind, name }) => kind !== 'times' && !/silence/i.test(name));
    for (const { name, least, most } of single) {
      for (const value of [least, most]) {
        expect([name, refusedByEngine(given(name, value))]).toEqual([name, undefined]);
        expect([name, refusedByChecks('transcribe', given(name, value))]).toEqual([
          name,
          undefined,
        ]);
      }
    }
  });

  test.each(options)('$name is known to both sides, for the same functions', (option) => {
    const { name, calls, engine = true } = option;
    const given = { [name]: { nonsense: true } };
    expect(refusedByEngine(given)?.subject).toBe(name);
    expect(refusedByEngine(given)?.expected !== 'the name of an option').toBe(engine);
    const isForRecordings = refusedByEngineForOneWindow(given)?.expected;
    if (engine) {
      expect(isForRecordings === 'an option of one window').toBe(!calls.includes('decode'));
    }
    for (const call of ['transcribe', 'decode', 'score', 'align', 'detectLanguage']) {
      const refusal = refusedByChecks(call, given);
      expect(refusal?.subject).toBe(name);
      expect(refusal?.expected.startsWith('absent')).toBe(!calls.includes(call));
    }
  });

  test('have no name that only one side knows', () => {
    expect(refusedByEngine({ tempo: 1 })?.expected).toBe('the name of an option');
    expect(refusedByChecks('transcribe', { tempo: 1 })?.expected).toMatch(/^absent/);
  });

  test('have values within their bounds in the demo page', () => {
    const page = readFileSync(join(projectRoot, 'web/demo/index.html'), 'utf8');
    const [, choices = ''] = /<select id="beam_size">(.*?)<\/select>/s.exec(page) ?? [];
    const widths = [...choices.matchAll(/value="(\d+)"/g)].map(([, width]) => Number(width));
    expect(widths[0]).toBe(1);
    const { most } = options.find(({ name }) => name === 'beamSize') ?? {};
    expect(Math.max(...widths)).toBeLessThanOrEqual(Number(most));
  });

  test('are in the command line’s help with their ranges', () => {
    const usage = new Map<string, string>(Object.values(optionUsage).flat());
    expect(usage.get('--patience X')).toMatch(/^0\.001 to 16: /);
    expect(usage.get('--logprob-threshold X')).toMatch(/^-1000 to 1000: .* \(-1\)$/);
    expect(usage.has('--no-break-loops')).toBe(true);
    expect(usage.get('--hotword TEXT[=WEIGHT]')).toContain('weight -20 to 20 (5)');
    for (const text of [...usage].flat()) expect(text).not.toMatch(/[`{}]|undefined/);
  });
});

describe.each([
  ['docs/api.md', /\| `patience` +\| 1 +\| 0\.001 to 16: /, '0.001 to 16'],
  ['docs/errors.md', /\| `out_of_memory` +\| +4 \| The engine /, 'The engine could not get'],
])('the tables in %s', (path, row, words) => {
  const text = readFileSync(join(projectRoot, path), 'utf8');

  test('are what the tables of facts make', async () => {
    expect(await withTables(path, text)).toBe(text);
    expect(text).toMatch(row);
  });

  test('are found wrong when they say something else', async () => {
    const wrong = text.replace(words, 'something else');
    expect(wrong).not.toBe(text);
    expect(await withTables(path, wrong)).toBe(text);
  });
});

test('the documents have the tables of the facts', async () => {
  expect(await checkDocuments()).toBe(true);
});

describe('dtypes', () => {
  test('are the same in C++, in TypeScript and in the table', () => {
    const { dtypes } = readFacts('dtypes');
    const rows = [...cpp('dtypes.inc').matchAll(/^SUSURRUS_DTYPE\((\w+), (\d+), (\d+), (\d+), /gm)];
    expect(rows.map(([, name, ...numbers]) => [name, ...numbers.map(Number)])).toEqual(
      dtypes.map((row) => [row.name, row.number, row.elementsPerBlock, row.bytesPerBlock]),
    );
    expect(dtypeFacts.weightTypes).toEqual(weightTypes);
    for (const { name, elementsPerBlock, bytesPerBlock, isWeight } of dtypes) {
      expect(dtypeFacts.blockTypes.includes(name)).toBe(elementsPerBlock > 1);
      if (isWeight !== true) continue;
      const bits = dtypeFacts.bitsPerWeight[name as dtypeFacts.WeightType];
      expect(bits * elementsPerBlock).toBe(8 * bytesPerBlock);
    }
  });

  test.each(readFacts('dtypes').dtypes.filter(({ isWeight }) => isWeight))(
    '$name is written and read with the size of the table',
    async ({ name, elementsPerBlock, bytesPerBlock }) => {
      const susurrus = await builtPackage();
      const pieces: Uint8Array[] = [];
      await susurrus.convertModel(
        new Blob([modelBytes().slice()]),
        new WritableStream<Uint8Array>({
          write(piece) {
            pieces.push(piece.slice());
          },
        }),
        { dtype: name as dtypeFacts.WeightType, compress: 'none' },
      );
      const { tensors } = await susurrus.inspect(new Blob(pieces as BlobPart[]));
      const matrix = tensors.find((tensor) => tensor.name === 'decoder.token_embedding.weight');
      const elements = matrix?.shape.reduce((product, size) => product * size, 1) ?? NaN;
      expect(matrix?.dtype).toBe(name);
      expect(matrix?.rawSize).toBe((elements / elementsPerBlock) * bytesPerBlock);
    },
  );
});

describe('the other tables', () => {
  test('errors: codes, numbers and reasons', () => {
    const { codes, reasons } = readFacts('errors');
    const inCpp = [...cpp('error_codes.inc').matchAll(/^SUSURRUS_ERROR\((\w+), (\d+), /gm)];
    const expected = Object.fromEntries(codes.map(({ name, number }) => [name, number]));
    expect(Object.fromEntries(inCpp.map(([, name, number]) => [name, Number(number)]))).toEqual(
      expected,
    );
    expect(errorNumbers).toEqual(expected);
    const type = files['web/src/api/generated/errors.ts'];
    for (const { name, meaning, cause, cure } of codes) {
      expect(type).toContain(`${meaning.slice(1)}. */\n  | '${name}'`);
      expect(cause && cure).toBeTruthy();
    }
    expect(new Set(codes.map(({ number }) => number)).size).toBe(codes.length);
    const reasonsInCpp = [...cpp('error_reasons.inc').matchAll(/^SUSURRUS_REASON\((\w+)\)/gm)];
    expect(reasonsInCpp.map(([, name]) => name)).toEqual(reasons);
  });

  test('dimensions: the engine reports those of the table, in its order', () => {
    const names = readFacts('whisper').dimensions.map(({ name }) =>
      name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    );
    expect(Object.keys(facts().dims)).toEqual(names);
    expect([...readFacts('whisper').checkpointOrder].sort()).toEqual(
      readFacts('whisper')
        .dimensions.map(({ name }) => name)
        .sort(),
    );
  });

  test('Whisper’s constants', () => {
    const inCpp = [...cpp('whisper.h').matchAll(/uint32_t k(\w)(\w+) = (\d+);/g)].map(
      ([, first, rest, value]) => [`${first?.toLowerCase()}${rest}`, Number(value)],
    );
    const expected = readFacts('whisper').constants.map(({ name, value }) => [name, value]);
    expect(inCpp).toEqual(expected);
    expect(whisperFacts).toMatchObject(Object.fromEntries(expected) as object);
    expect(whisperFacts.frequencyBins).toBe(whisperFacts.fftSize / 2 + 1);
  });

  test('languages: order and names', () => {
    const { languages } = readFacts('languages');
    const inCpp = [...cpp('languages.inc').matchAll(/^SUSURRUS_LANGUAGE\("(\w+)"\)/gm)];
    expect(inCpp.map(([, code]) => code)).toEqual(languages.map(({ code }) => code));
    expect(Object.entries(languageNames)).toEqual(languages.map(({ code, name }) => [code, name]));
    // A binary search looks names up.
    const names = [...cpp('language_names.inc').matchAll(/NAME\("([^"]+)"/g)].map(([, one]) => one);
    expect(names).toEqual([...names].sort());
    expect(names.length).toBe(
      languages.flatMap(({ otherNames = [] }) => ['', ...otherNames]).length,
    );
  });

  test('file kinds: marks are the same bytes on both sides', () => {
    const inCpp = [...cpp('file_marks.inc').matchAll(/MARK\((\d+), "(.+)"sv, (\w+)\)/g)].map(
      ([, at, bytes = '', kind]) => [
        ...[kind, Number(at)],
        bytes.replaceAll(/\\(\d{3})/g, (_, octal: string) =>
          String.fromCharCode(parseInt(octal, 8)),
        ),
      ],
    );
    const all = readFacts('file_kinds').kinds.flatMap(({ name, class: kindClass, marks = [] }) =>
      marks.map((mark) => ({
        ...{ name, kindClass, at: 0 },
        ...(typeof mark === 'string' ? { bytes: mark } : mark),
      })),
    );
    expect(inCpp).toEqual(all.map(({ name, at, bytes }) => [name, at, bytes]));
    expect(inCpp.length).toBeGreaterThan(20);
    expect(fileMarks.map(({ at, bytes }) => [at, String.fromCharCode(...bytes)])).toEqual(
      all
        .filter(
          ({ name, kindClass }) =>
            ['checkpoint', 'network'].includes(kindClass) || name === 'audio',
        )
        .map(({ at, bytes }) => [at, bytes]),
    );
  });

  test('file kinds: advice is told in full', async () => {
    const inCpp = [...cpp('file_kinds.inc').matchAll(/^SUSURRUS_FILE_KIND\((\w+), (\w+), /gm)];
    const { kinds } = readFacts('file_kinds');
    expect(inCpp.map(([, name, kind]) => [name, kind])).toEqual(
      kinds.map((kind) => [kind.name, kind.class]),
    );
    expect(cpp('file_kinds.inc')).not.toMatch(/[{}]|undefined/);
    const susurrus = await builtPackage();
    const page = new TextEncoder().encode('<!DOCTYPE html><html><body>Not found</body></html>');
    const { advice = '', what } = kinds.find(({ name }) => name === 'html') ?? { what: '' };
    await expect(susurrus.loadModel(page)).rejects.toMatchObject({
      details: { expected: advice, got: expect.stringContaining(what) as unknown },
    });
  });
});

test('nothing is written that is as it should be', () => {
  const path = join(projectRoot, 'build/generated/facts/dtypes.inc');
  const before = statSync(path).mtimeMs;
  generateFacts();
  expect(statSync(path).mtimeMs).toBe(before);
  writeFileSync(join(projectRoot, 'build/generated/facts/former.inc'), 'no longer made');
  generateFacts();
  expect(() => statSync(join(projectRoot, 'build/generated/facts/former.inc'))).toThrow('ENOENT');
});
