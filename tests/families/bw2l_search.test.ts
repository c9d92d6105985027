// BW2L models with a lexicon and a language model: what the beam search writes, and what it rejects.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { LoadOptions, Model, AnyTranscribeOptions } from '../../web/src/api/types.js';
import type { SusurrusError } from '../../web/src/api/errors.js';
import { builtPackage } from '../support/built_package.js';
import { arpaOf, digits, digitsPath, digitsWithFlags, lexiconOf } from '../support/digits_bw2l.js';
import { startCommand } from '../support/command_process.js';
import { errorOf, modelPath } from '../support/embedded_model.js';
import { sharedJson } from '../support/goldens.js';
import { wavSamples } from '../support/goldens_audio.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';

interface Recording {
  readonly file: string;
  /** What was said; absent where it was not composed. */
  readonly text?: string;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const samplesOf = (file: string): Float32Array => wavSamples(join('bw2l-digits/eval', file));

const load = async (options: LoadOptions = {}): Promise<Model> =>
  (await builtPackage()).loadModel(digitsPath, options);

/** What is written of a recording by a model that is loaded for that. */
async function written(
  file: string,
  texts: { readonly lexicon?: string; readonly languageModel?: string },
  options: AnyTranscribeOptions = {},
): Promise<string> {
  const { lexicon, languageModel } = texts;
  const model = await load({
    ...(lexicon !== undefined && { lexicon: bytes(lexicon) }),
    ...(languageModel !== undefined && { languageModel: bytes(languageModel) }),
  });
  const { text } = await model.transcribe(samplesOf(file), options);
  model.dispose();
  return text.trim();
}

describeWithShared(['bw2l-digits', 'recordings'], 'BW2L models with a lexicon', () => {
  const { recordings } = sharedJson('bw2l-digits/eval/expected.json') as {
    recordings: Recording[];
  };
  const composed = recordings.filter(({ text }) => text !== undefined);
  const folder = mkdtempSync(join(tmpdir(), 'susurrus-bw2l-'));
  const lexiconPath = join(folder, 'words.txt');
  const arpaPath = join(folder, 'words.arpa');
  let model: Model;
  let greedy: Model;

  beforeAll(async () => {
    const unigrams = Object.fromEntries(digits.map((word) => [word, -1]));
    writeFileSync(lexiconPath, lexiconOf(digits));
    writeFileSync(arpaPath, arpaOf({ ...unigrams, '<s>': -99, '</s>': -1 }));
    model = await load({ lexicon: lexiconPath, languageModel: arpaPath });
    greedy = await load();
  });
  afterAll(() => {
    model.dispose();
    greedy.dispose();
    rmSync(folder, { recursive: true });
  });

  test('writes every word right, also those that the best path gets wrong', async () => {
    expect(composed.length).toBeGreaterThanOrEqual(20);
    let corrected = 0;
    for (const { file, text } of composed) {
      const { text: found } = await model.transcribe(samplesOf(file));
      expect([file, found.trim()]).toEqual([file, text]);
      const { text: path } = await greedy.transcribe(samplesOf(file));
      if (path.trim() !== text) ++corrected;
    }
    expect(corrected).toBeGreaterThan(0);
  });

  test('gives segments and words in the same form as the best path', async () => {
    const samples = samplesOf('short-0.wav');
    const options = { timestamps: 'word' } as const;
    const found = (await model.transcribe(samples, options)).segments;
    const path = (await greedy.transcribe(samples, options)).segments;
    expect(found.map((segment) => Object.keys(segment))).toEqual(
      path.map((segment) => Object.keys(segment)),
    );
    const words = found.flatMap((segment) => segment.words ?? []);
    const expected = path.flatMap((segment) => segment.words ?? []);
    expect(words.map(({ word }) => word)).toEqual([' seven', ' three', ' six']);
    words.forEach(({ start, end, probability }, i) => {
      // The search may hold a letter for other frames than the best path does.
      expect(Math.abs(start - expected[i]!.start)).toBeLessThan(0.1);
      expect(Math.abs(end - expected[i]!.end)).toBeLessThan(0.3);
      expect(probability).toBeGreaterThan(0.3);
      expect(probability).toBeLessThanOrEqual(1);
    });
  });

  test('writes no word that the lexicon does not have', async () => {
    const some = lexiconOf(['seven', 'six']);
    expect(await written('short-0.wav', { lexicon: some })).toMatch(/^((seven|six)( |$))+$/);
    // Six words of one spelling are kept.
    const same = digits.map((word) => `${word} s i x |\n`).join('');
    const full = await load({ lexicon: bytes(same) });
    expect(full.info.warnings).toEqual(['lexicon: 4 words are left out, as 6 others are spelt so']);
    full.dispose();
  });

  test('unkScore lets other words in', async () => {
    const lexicon = lexiconOf(['seven', 'six']);
    const text = await written('short-0.wav', { lexicon }, { unkScore: 0 });
    expect(text.split(' ')).toContain('<unk>');
  });

  test('lmWeight decides between words that sound alike', async () => {
    const lexicon = 'six s i x |\nsicks s i x |\nseven s e v e n |\nthree t h r e e |\n';
    const languageModel = arpaOf({
      ...{ '<s>': -99, '</s>': -1, six: -2, sicks: -1, seven: -1, three: -1 },
      'three six': -0.1,
    });
    const texts = { lexicon, languageModel };
    expect(await written('short-0.wav', texts)).toBe('seven three six');
    expect(await written('short-0.wav', texts, { lmWeight: -1 })).toBe('seven three sicks');
    // Words with equal scores: the first in the lexicon wins.
    expect(await written('short-0.wav', texts, { lmWeight: 0 })).toBe('seven three six');
  });

  test('wordScore and silScore change how many words are written', async () => {
    const lexicon = 'six s i x |\nsi s i\nx x |\n';
    const count = async (options: AnyTranscribeOptions): Promise<number> =>
      (await written('short-0.wav', { lexicon }, options)).split(' ').length;
    expect(await count({ wordScore: 10 })).toBeGreaterThan(await count({ wordScore: -10 }));
    const cheap = await written('short-0.wav', { lexicon: lexiconOf(digits) }, { silScore: 100 });
    expect(cheap).toBe('');
  });

  test('beamSize asks for a search over free tokens, with a model of tokens or none', async () => {
    const samples = samplesOf('short-0.wav');
    const found = await greedy.transcribe(samples, { beamSize: 20, logAdd: true });
    expect(found.text.trim()).toBe('seven three six');
    // One that likes no x.
    const letters = Object.fromEntries(
      '| e f g h i n o r s t u v w z'.split(' ').map((letter) => [letter, -1]),
    );
    const languageModel = arpaOf({ ...letters, x: -90 });
    expect(await written('short-0.wav', { languageModel })).not.toContain('x');
  });

  test('a narrow beam still ends', async () => {
    const samples = samplesOf('short-0.wav');
    const options = { beamSize: 1, beamSizeToken: 1, beamThreshold: 0 };
    expect(typeof (await model.transcribe(samples, options)).text).toBe('string');
  });

  test('the command takes the same files and options', async () => {
    const run = async (...args: string[]): Promise<string> => {
      const file = resolve(sharedFolder, 'bw2l-digits/eval/long-3.wav');
      const command = startCommand('transcribe', file, '--model', digitsPath, '--no-vad', ...args);
      expect([await command.ended, command.stderr()]).toEqual([0, '']);
      return command.stdout().trim().replaceAll('\n', ' ');
    };
    const { text } = composed.find(({ file }) => file === 'long-3.wav')!;
    expect(await run()).not.toBe(text);
    const files = ['--lexicon', lexiconPath, '--lm', arpaPath];
    expect(await run(...files, '--lm-weight', '0.5', '--beam-size', '200', '--log-add')).toBe(text);
  });

  test('texts are any source of one file, and read once', async () => {
    const text = lexiconOf(digits);
    const sources: LoadOptions['lexicon'][] = [
      new Blob([text]),
      bytes(text).buffer as ArrayBuffer,
      new Response(text),
      new Blob([text]).stream(),
      (async function* () {
        for (const line of text.split('\n')) yield await Promise.resolve(bytes(`${line}\n`));
      })(),
    ];
    for (const lexicon of sources) {
      const one = await load({ lexicon: lexicon! });
      for (let i = 0; i < 2; ++i) {
        const { text: found } = await one.transcribe(samplesOf('short-0.wav'));
        expect(found.trim()).toBe('seven three six');
      }
      one.dispose();
    }
  });

  test('a model that streams searches as the sound comes', async () => {
    const file = digitsWithFlags({ localnrmlleftctx: '400', localnrmlrightctx: '50' });
    const limited = await (
      await builtPackage()
    ).loadModel(file, { lexicon: lexiconPath, languageModel: arpaPath });
    expect(limited.info.streams).toBe(true);
    const samples = samplesOf('medium-0.wav');
    const { text } = await limited.transcribe(samples);
    expect(text.trim().split(' ')).toEqual(expect.arrayContaining(['six', 'eight']));
    const live = limited.stream({ beamSize: 500, wordScore: 1 });
    let eventCount = 0;
    const heard = (async () => {
      const finals: string[] = [];
      for await (const event of live) {
        ++eventCount;
        if (event.type === 'final') finals.push(event.text);
      }
      return finals.join('');
    })();
    for (let at = 0; at < samples.length; at += 8000) {
      await live.feed(samples.subarray(at, at + 8000));
    }
    expect(eventCount).toBeGreaterThan(1);
    await live.close();
    expect(await heard).toBe(text);
    expect(() => limited.stream({ beamSize: 0 })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    );
    limited.dispose();
  });
});

describeWithShared(['bw2l-digits', 'april-digits'], 'a lexicon or language model', () => {
  const lexicon = lexiconOf(digits);
  const failure = async (options: LoadOptions): Promise<SusurrusError> =>
    (await errorOf(load(options))) as SusurrusError;

  test.each([
    ['lexicon', 'zero z e r o |\none\n', 15, 'lexicon: line 2', 'a word and its tokens', undefined],
    ['lexicon', '\n\n', 2, 'lexicon: line 2', 'a word and its tokens', undefined],
    ['lexicon', 'ab e f\nbad b a d |\n', 7, 'lexicon: line 2', 'tokens of the model', 'b'],
    ['languageModel', 'zero -1\n', 0, 'language model: line 1', '\\data\\ first', 'zero'],
    [
      'languageModel',
      '\\data\\\nngram 1=2\n\\1-grams:\n-1 six\n\\end\\\n',
      34,
      'language model: line 5',
      '2 n-grams of order 1',
      undefined,
    ],
    [
      'languageModel',
      '\\data\\\nngram 1=18446744073709551615\n\\1-grams:\n-1 six\n\\end\\\n',
      7,
      'language model: line 2',
      'as many n-grams as the text has room for',
      undefined,
    ],
    [
      'languageModel',
      '\\data\\\nngram 1=1\n\\1-grams:\nmany six\n\\end\\\n',
      27,
      'language model: line 4',
      'numbers before and behind the words',
      undefined,
    ],
  ] as const)('as %s that is malformed: %j', async (name, text, offset, subject, expected, got) => {
    const { code, details } = await failure({ [name]: bytes(text) });
    expect({ code, ...details }).toEqual({
      ...{ code: 'malformed', reason: 'bad_vocabulary', offset, subject, expected },
      ...(got !== undefined && { got }),
    });
  });

  test('as a file is named in its error', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'susurrus-bw2l-'));
    const path = join(folder, 'words.txt');
    writeFileSync(path, 'one\n');
    const { message } = await failure({ lexicon: path });
    expect(message).toContain('words.txt');
    expect(message).toContain('line 1');
    const missing = await failure({ lexicon: join(folder, 'none.txt') });
    expect(missing.code).toBe('source_failed');
    expect(missing.message).toContain('none.txt');
    rmSync(folder, { recursive: true });
  });

  test.each([
    ['no token', {}, 'a model of the tokens, or a lexicon for one of words'],
    [
      'no word of the lexicon',
      { lexicon: bytes(lexicon) },
      'a model that has words of the lexicon',
    ],
  ] as const)('with %s is of no use', async (_, options, expected) => {
    const languageModel = bytes(arpaOf({ nobody: -1, says: -1 }));
    const { code, details } = await failure({ ...options, languageModel });
    expect({ code, ...details }).toEqual({
      ...{ code: 'invalid_argument', reason: 'option', subject: 'languageModel', expected },
    });
  });

  test.each([
    ['no', { beamThreshold: 5 }, 'beamThreshold'],
    ['no', { beamSize: 0 }, 'beamSize'],
    ['no', { beamSize: null }, 'beamSize'],
    ['no', { beamSize: 10, lmWeight: 1 }, 'lmWeight'],
    ['no', { beamSize: 10, wordScore: 1 }, 'wordScore'],
    ['a', { lmWeight: 1 }, 'lmWeight'],
    ['a', { wordScore: NaN }, 'wordScore'],
    ['a', { unkScore: -Infinity }, 'unkScore'],
    ['a', { silScore: 2000 }, 'silScore'],
    ['a', { beamSizeToken: 0.5 }, 'beamSizeToken'],
    ['a', { patience: 1 }, 'the option patience'],
    ['a', { beamWidth: 1 }, 'the option beamWidth'],
  ])('with %s lexicon transcribe(%p) is refused', async (given, options, subject) => {
    const model = await load(given === 'a' ? { lexicon: bytes(lexicon) } : {});
    const error = (await errorOf(
      model.transcribe(new Float32Array(16000), options as AnyTranscribeOptions),
    )) as SusurrusError;
    expect(error.details.subject).toBe(subject);
    expect(error.code).toBe(subject.includes(' ') ? 'unsupported_feature' : 'invalid_argument');
    model.dispose();
  });

  test('is refused by models of other families, and so are its options', async () => {
    const { loadModel } = await builtPackage();
    const april = resolve(sharedFolder, 'april-digits/digits.april');
    for (const path of [april, modelPath]) {
      for (const name of ['lexicon', 'languageModel'] as const) {
        const error = await errorOf(loadModel(path, { [name]: bytes(lexicon) }));
        expect(error).toMatchObject({ code: 'unsupported_feature', details: { reason: 'model' } });
        expect((error as SusurrusError).details.subject).toContain(name);
      }
      const model = await loadModel(path);
      for (const options of [{ lmWeight: 1 }, { logAdd: true }]) {
        expect(await errorOf(model.transcribe(new Float32Array(16000), options))).toMatchObject({
          ...{ code: 'unsupported_feature', details: { expected: 'acoustic' } },
        });
      }
      model.dispose();
    }
  });

  test('that is no source, or cannot be read again, is refused', async () => {
    for (const wrong of [1, true, null, []]) {
      expect(await failure({ lexicon: wrong as unknown as string })).toMatchObject({
        ...{ code: 'invalid_argument', details: { subject: 'lexicon' } },
      });
    }
    const stream = new Blob([lexicon]).stream();
    expect(await failure({ languageModel: stream, autoSleep: 1 })).toMatchObject({
      ...{ code: 'invalid_argument', details: { subject: 'languageModel' } },
    });
  });

  test('is read no further after an abort', async () => {
    const leaving = new AbortController();
    let wasLeft = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (let i = 0; ; ++i) {
          if (i === 100) leaving.abort();
          yield await Promise.resolve(bytes(lexicon));
        }
      } finally {
        wasLeft = true;
      }
    }
    const error = await errorOf(load({ lexicon: endless(), signal: leaving.signal }));
    expect(error).toBe(leaving.signal.reason);
    await Promise.resolve();
    expect(wasLeft).toBe(true);
  });
});
