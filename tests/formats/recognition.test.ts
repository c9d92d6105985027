// What people drop by mistake: the error says what it is, from where, and what to do.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builtPackage } from '../support/built_package.js';
import { errorOf, inPieces, modelBytes, sampleBytes } from '../support/embedded_model.js';
import { safetensors, tinyConfig, tinyTensors } from '../support/hub_folder.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
let server: Server;
let address: string;
const root = mkdtempSync(join(tmpdir(), 'susurrus-recognition-'));

const text = (content: string): Uint8Array => new TextEncoder().encode(content);
/** A file of a zip archive, stored. */
function zip(name: string): Uint8Array {
  const header = new Uint8Array(30 + name.length + 100);
  header.set([0x50, 0x4b, 3, 4, 20]);
  header[26] = name.length;
  header.set(text(name), 30);
  return header;
}

type Row = [bytes: Uint8Array, code: string, reason: string, is: RegExp, what: RegExp];
const files: Record<string, Row> = {
  'page.apr': [
    text('<!doctype html><html><title>Sign in</title></html>'),
    'unknown_format',
    'not_a_model',
    /HTML page/,
    /check the address/,
  ],
  'pointer.apr': [
    text('version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 99\n'),
    'unknown_format',
    'not_a_model',
    /Git LFS pointer/,
    /git lfs pull/,
  ],
  'error.apr': [
    text('{"error":"Invalid username or password."}'),
    'unknown_format',
    'not_a_model',
    /server's answer in JSON: Invalid username or password/,
    /login/,
  ],
  'model.apr.gz': [
    new Uint8Array(gzipSync(modelBytes())),
    'unknown_format',
    'not_a_model',
    /gzip archive/,
    /unpack/,
  ],
  'files.zip': [zip('model.apr'), 'unknown_format', 'not_a_model', /zip archive/, /unpack/],
  'tiny.pt': [
    zip('archive/data.pkl'),
    'unsupported_feature',
    'unsupported',
    /PyTorch checkpoint/,
    /save_file.*susurrus convert/,
  ],
  'pytorch_model.bin': [
    Uint8Array.from([0x80, 2, 0x8a, 10, ...new Uint8Array(60)]),
    'unsupported_feature',
    'unsupported',
    /pickle/,
    /susurrus convert/,
  ],
  'weights.npz': [
    zip('encoder.conv1.weight.npy'),
    'unsupported_feature',
    'unsupported',
    /NumPy/,
    /SafeTensors/,
  ],
  'model.safetensors': [
    safetensors(tinyTensors),
    'unsupported_feature',
    'unsupported',
    /SafeTensors checkpoint/,
    /config\.json.*susurrus convert/,
  ],
  'model.safetensors.index.json': [
    text(JSON.stringify({ metadata: {}, weight_map: { a: 'model-00001-of-00002.safetensors' } })),
    'unsupported_feature',
    'unsupported',
    /index of a SafeTensors checkpoint/,
    /convert the folder/,
  ],
  'config.json': [
    text(JSON.stringify(tinyConfig)),
    'unsupported_feature',
    'unsupported',
    /Hugging Face folder/,
    /convert the folder/,
  ],
  'ggml-silero.bin': [
    Uint8Array.from([...text('lmgg'), 10, 0, 0, 0, ...text('silero-16k'), ...new Uint8Array(60)]),
    'unsupported_feature',
    'model',
    /voice activity detector/,
    /Whisper model/,
  ],
  'model.onnx': [
    Uint8Array.from([8, 7, 0x12, 7, ...text('pytorch'), ...new Uint8Array(60)]),
    'unsupported_feature',
    'unsupported',
    /ONNX/,
    /SafeTensors/,
  ],
  'speech.wav': [sampleBytes(), 'unknown_format', 'not_a_model', /audio/, /transcribe\(\)/],
  'notes.txt': [
    text('The minutes of the last meeting were read and approved.'),
    'unknown_format',
    'not_a_model',
    /without the mark/,
    /encrypts/,
  ],
};

beforeAll(async () => {
  susurrus = await builtPackage();
  for (const [name, [bytes]] of Object.entries(files)) writeFileSync(join(root, name), bytes);
  server = createServer((request, response) => {
    const row = files[(request.url ?? '').slice(1)];
    response.writeHead(200, { 'Content-Type': 'application/x-model' }).end(row?.[0]);
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(root, { recursive: true });
});

describe('a file that is no model is named', () => {
  test.each(Object.keys(files))('%s', async (name) => {
    const [bytes, code, reason, is, what] = files[name]!;
    const path = join(root, name);
    const file = new File([bytes.slice()], name);
    const url = `${address}/${name}`;
    const sources = [path, file, url, bytes, inPieces(bytes.subarray(0, 3000), 1)];
    for (const [i, source] of sources.entries()) {
      for (const open of [susurrus.loadModel, susurrus.inspect]) {
        // Their description is all that inspect wants.
        if (open === susurrus.inspect && name.startsWith('model.safetensors')) continue;
        // A stream is read once.
        const again = i === 4 ? inPieces(bytes.subarray(0, 3000), 1) : source;
        const error = await errorOf(open(again));
        expect(error).toBeInstanceOf(susurrus.SusurrusError);
        expect(error).toMatchObject({ code, details: { reason, offset: 0, subject: 'file' } });
        const { message } = error as Error;
        expect(message).toMatch(is);
        expect(message).toMatch(what);
        expect(message).toMatch(/^This is an? |^This is the /);
        const from = [path, name, `${url} (HTTP 200, application/x-model)`][i];
        if (from !== undefined) expect(message).toContain(from);
      }
    }
  });

  test('an empty answer says from where', async () => {
    expect(((await errorOf(susurrus.loadModel(`${address}/empty`))) as Error).message).toContain(
      `${address}/empty (HTTP 200`,
    );
  });
});
