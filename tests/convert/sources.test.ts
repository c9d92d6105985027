// What convertModel takes besides paths: Files, and addresses that are read by ranges.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { builtPackage } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import { writeHubFolder } from '../support/hub_folder.js';

const root = mkdtempSync(join(tmpdir(), 'susurrus-sources-'));
const folder = writeHubFolder(join(root, 'tiny'));
let built: Awaited<ReturnType<typeof builtPackage>>;
let server: Server;
let address: string;
let expected: Buffer;

/** Folders of the server: `ranges` obeys Range, `whole` does not, `failing` fails. */
function listen(): Promise<void> {
  server = createServer((request, response) => {
    const [, kind = '', name = ''] = (request.url ?? '').split('/');
    if (kind === 'failing') {
      response.writeHead(503).end();
      return;
    }
    if (!readdirSync(folder).includes(name)) {
      response.writeHead(404).end();
      return;
    }
    const bytes = readFileSync(join(folder, name));
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    if (!range || kind === 'whole') {
      response.writeHead(200).end(bytes);
      return;
    }
    const [begin, last] = [Number(range[1]), Math.min(Number(range[2]), bytes.length - 1)];
    response
      .writeHead(206, { 'Content-Range': `bytes ${begin}-${last}/${bytes.length}` })
      .end(bytes.subarray(begin, last + 1));
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', done));
}

beforeAll(async () => {
  built = await builtPackage();
  await listen();
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const path = join(root, 'expected.apr');
  await built.convertModel(folder, path);
  expected = readFileSync(path);
});
afterAll(() => {
  server.close();
  rmSync(root, { recursive: true });
});

test.each(['ranges/', 'ranges/model.safetensors'])('%s is read by ranges', async (path) => {
  const out = join(root, `${path.replaceAll('/', '-')}.apr`);
  await built.convertModel(new URL(`${address}/${path}`), out);
  expect(readFileSync(out).equals(expected)).toBe(true);
});

test.each([
  ['whole/model.safetensors', /does not support range requests/],
  ['ranges/other.safetensors', /no such file|HTTP 404|no ranges/],
  ['failing/model.safetensors', /HTTP 503/],
  ['ranges/sub/', /no model\.safetensors/],
])('%s is refused', async (path, message) => {
  const error = await errorOf(built.convertModel(`${address}/${path}`, join(root, 'no.apr')));
  expect(error).toMatchObject({ code: 'source_failed' });
  expect((error as Error).message).toMatch(message);
  expect(readdirSync(root)).not.toContain('no.apr');
});

test('Files of a folder, whatever their order', async () => {
  const files = readdirSync(folder)
    .reverse()
    .map((name) => new File([readFileSync(join(folder, name))], name));
  const chunks: Uint8Array[] = [];
  const sink = new WritableStream<Uint8Array>({ write: (chunk) => void chunks.push(chunk) });
  await built.convertModel(files, sink);
  expect(Buffer.concat(chunks).equals(expected)).toBe(true);
  // Named by nothing but being the only one of its kind.
  const renamed = files.map((file) =>
    file.name.endsWith('.safetensors') ? new File([file], 'mine.safetensors') : file,
  );
  const path = join(root, 'renamed.apr');
  await built.convertModel(renamed, path);
  expect(readFileSync(path).equals(expected)).toBe(true);
});

test('what is no source or destination is refused', async () => {
  const { convertModel } = built;
  const path = join(root, 'never.apr');
  for (const source of [[], ['model'], 7, undefined]) {
    const error = await errorOf(convertModel(source as never, path));
    expect(error).toMatchObject({ code: 'invalid_argument', details: { subject: 'source' } });
  }
  const sink = new WritableStream<Uint8Array>();
  expect(await errorOf(convertModel(folder, sink, { shardSize: 1000 }))).toMatchObject({
    code: 'invalid_argument',
    details: { subject: 'shardSize' },
  });
  for (const [format, option] of [
    ['ggml', { compress: 'lz4' }],
    ['safetensors', { shardSize: 1000 }],
    ['safetensors', { dtype: 'q8_0' }],
    ['ggml', { dtype: 'bf16' }],
    ['ggml', { alignment: 32 }],
  ] as const) {
    expect(await errorOf(convertModel(folder, path, { format, ...option }))).toMatchObject({
      code: 'invalid_argument',
      details: { subject: Object.keys(option)[0] },
    });
  }
  expect(readdirSync(root)).not.toContain('never.apr');
});
