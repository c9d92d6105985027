// What came in together, told apart by its bytes, and what is wrong with the rest.
import { describe, expect, test } from '@jest/globals';
import { lookAt } from '../../web/demo/files/look_at_file.js';
import { plainProblem } from '../../web/demo/files/plain_problem.js';
import { sortFiles } from '../../web/demo/files/sort_files.js';
import { SusurrusError } from '../../web/src/index.js';
import { builtPackage } from '../support/built_package.js';

const bytes = (text: string, length = 64): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length: Math.max(length, text.length) }, (_, i) => text.charCodeAt(i) || 0);
const named = (
  name: string,
  content: string | Uint8Array<ArrayBuffer> = 'RIFF....WAVE',
  type = '',
): File => new File([typeof content === 'string' ? bytes(content) : content], name, { type });

const wav = named('a.wav');
const apr = (name: string): File => named(name, 'APR2\x02\0\0\0');
const safetensors = named('model.safetensors', '\x10\0\0\0\0\0\0\0{"__metadata__":{}}');
const config = named('config.json', '{"model_type": "whisper"}');
const tennis = named('net', '\0\0\0\0\x29\x09\x91\x19');

/** The loader's own words for a file. */
const askLoader = async (file: File): Promise<unknown> => (await builtPackage()).inspect(file);

describe('a file is told by its bytes', () => {
  test.each([
    ['a WAV without a name for it', named('recording', 'RIFF....WAVE'), 'audio'],
    ['an MP3 without a tag', named('song', '\xff\xfb\x90\x64'), 'audio'],
    ['an M4A', named('a.bin', '\0\0\0\x20ftypM4A '), 'audio'],
    ['a name alone', named('a.wma', '\x01\x02\x03\x04\x05'), 'audio'],
    ['a type alone', named('a', '\x01\x02\x03\x04\x05', 'audio/x-odd'), 'audio'],
    ['an APR2', apr('model'), 'model'],
    ['an .april', named('x', 'APRILMDL'), 'model'],
    ['a ggml', named('x.bin', 'lmgg'), 'checkpoint'],
    ['SafeTensors', safetensors, 'checkpoint'],
    ['JSON', config, 'beside'],
    ['a TenniS module', tennis, 'module'],
  ])('%s', async (_what, file, kind) => {
    expect(await lookAt(file, askLoader)).toEqual({ kind });
  });
});

describe('a wrong file is named in one sentence', () => {
  test.each([
    [
      'a web page',
      named('a.mp3', '<!doctype html><title>Not found</title>'),
      /a web page that was saved/,
    ],
    ['a web page behind a byte order mark', named('a', '\xef\xbb\xbf\n<html>'), /a web page/],
    [
      'a pointer',
      named('m', 'version https://git-lfs.github.com/spec/v1\noid sha256:1\n'),
      /LFS pointer/,
    ],
    ['a zip archive', named('a.wav', 'PK\x03\x04'), /^This is a zip archive\. Unpack it/],
    ['a gzip archive', named('a.tgz', '\x1f\x8b\x08'), /^This is a gzip archive\. Unpack it/],
    ['an empty file', new File([], 'a.wav'), /^This file is empty\.$/],
    [
      'a text',
      new File(['Dear Sir or Madam, …'], 'letter.txt'),
      /^This is a text, not a recording/,
    ],
    ['a PNG', named('a.png', '\x89PNG\r\n\x1a\n'), /^This is a picture, not/],
    ['a WebP', named('a.wav', 'RIFF\0\0\0\0WEBP'), /^This is a picture, not/],
    ['an SVG', named('a.svg', '<svg xmlns="x">'), /^This is a picture, not/],
    ['a HEIC photo', named('a.mp4', '\0\0\0\x20ftypheic'), /^This is a picture, not/],
    ['a PDF', named('a', '%PDF-1.7'), /^This is a PDF document, not/],
    [
      'nothing known',
      named('a.xyz', '\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0e'),
      /^This is neither/,
    ],
  ])('%s', async (_what, file, sentence) => {
    const { kind, problem } = await lookAt(file, askLoader);
    expect(kind).toBe('wrong');
    expect(plainProblem(problem)).toMatch(sentence);
  });

  test('a file that vanished since it was chosen', async () => {
    const gone = named('a.wav');
    gone.slice = () => {
      throw new DOMException('gone', 'NotFoundError');
    };
    const { kind, problem } = await lookAt(gone, askLoader);
    expect([kind, plainProblem(problem)]).toEqual([
      'wrong',
      'The file is not there any more, or cannot be read. Choose it again.',
    ]);
  });
});

test('errors of the package become sentences; the others stay as they are', () => {
  const of = (
    code: 'truncated_input' | 'malformed' | 'source_failed',
    message: string,
    details = {},
  ) => plainProblem(new SusurrusError(code, message, details));
  expect(of('truncated_input', 'x', { got: '0' })).toBe('This file is empty.');
  expect(of('truncated_input', 'x')).toMatch(/^This download is incomplete: the end/);
  const part = 'This download is incomplete: 20.0 of 42.8 MB are here. Download the file again.';
  expect(of('truncated_input', `${part} Source: a.apr.`)).toBe(part);
  expect(of('malformed', 'The bytes contradict the format: x.')).toMatch(/^This file is damaged/);
  expect(of('source_failed', 'x', { got: 'NotReadableError: y' })).toMatch(/not there any more/);
  expect(of('source_failed', 'the server answered 500')).toBe('the server answered 500');
  expect(plainProblem(new Error('mine'))).toBe('mine');
  expect(plainProblem('a word')).toBe('a word');
});

describe('files that came together', () => {
  const sorted = async (...files: File[]) => {
    const { model, recordings, wrong, leftOut } = await sortFiles(files, askLoader);
    const names = (list: readonly File[]) => list.map(({ name }) => name);
    return {
      model: model && [model.kind, model.name, ...names(model.files)],
      recordings: names(recordings),
      wrong: names(wrong.map(({ file }) => file)),
      leftOut: names(leftOut),
    };
  };
  const nothing = { model: undefined, recordings: [], wrong: [], leftOut: [] };

  test('a model and recordings, with something wrong among them', async () => {
    const page = named('b.mp3', '<html>');
    expect(await sorted(wav, apr('m.apr'), page, named('c.flac', 'fLaC'))).toEqual({
      model: ['model', 'm.apr', 'm.apr'],
      recordings: ['a.wav', 'c.flac'],
      wrong: ['b.mp3'],
      leftOut: [],
    });
  });

  test('the same recording twice is two', async () => {
    expect(await sorted(wav, wav)).toEqual({ ...nothing, recordings: ['a.wav', 'a.wav'] });
  });

  test('of several models the first counts, and the others are told', async () => {
    expect(await sorted(apr('a.apr'), apr('b.apr'), tennis)).toEqual({
      ...nothing,
      model: ['model', 'a.apr', 'a.apr'],
      leftOut: ['b.apr', 'net'],
    });
  });

  test('a model in shards is all of its files', async () => {
    const shards = [apr('m-00001-of-00002.apr'), apr('m-00002-of-00002.apr')];
    expect((await sorted(...shards)).model).toHaveLength(4);
    const manifest = named('m.apr', '{"format":"x"}');
    expect(await sorted(...shards, manifest)).toMatchObject({
      model: ['model', 'm.apr', expect.any(String), expect.any(String), 'm.apr'],
      leftOut: [],
    });
  });

  test('what lies beside a checkpoint goes with it, but recordings do not', async () => {
    const vocabulary = new File(['a\nb\n'], 'vocabulary.txt');
    expect(await sorted(config, safetensors, vocabulary, wav)).toEqual({
      ...nothing,
      model: [
        'checkpoint',
        'model.safetensors',
        'config.json',
        'model.safetensors',
        'vocabulary.txt',
      ],
      recordings: ['a.wav'],
    });
  });

  test('JSON alone goes to the loader, which says what it is', async () => {
    expect((await sorted(config)).model).toEqual(['model', 'config.json', 'config.json']);
  });
});
