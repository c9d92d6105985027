// What convertModel takes besides paths: Files, and addresses that are read by ranges; and loadModel with the Files of a folder.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { LoadOptions, ModelInfo, ModelSource } from '../../web/src/api/types.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import { picked, writeHubFolder } from '../support/hub_folder.js';
import { asFiles, tinyShards } from '../support/sharded_model.js';
import { turns } from '../support/turns.js';

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

const hubFiles = (): File[] =>
  readdirSync(folder).map((name) => new File([readFileSync(join(folder, name))], name));

const inFolder = (name: string): Record<string, BlobPart> =>
  Object.fromEntries(
    readdirSync(folder).map((file) => [`${name}/${file}`, readFileSync(join(folder, file))]),
  );

describe('loadModel() of the files of a hub folder', () => {
  const infoOf = async (source: ModelSource, options?: LoadOptions): Promise<ModelInfo> => {
    using model = await built.loadModel(source, options);
    return model.info;
  };

  test('converts them to q8_0 or the type that is asked for, and tells it', async () => {
    const path = join(root, 'like.apr');
    for (const dtype of [undefined, 'f32'] as const) {
      await built.convertModel(folder, path, {
        dtype: dtype ?? 'q8_0',
        compress: 'none',
        force: true,
      });
      const phases: string[] = [];
      const info = await infoOf(hubFiles(), {
        ...(dtype && { dtype }),
        onProgress: ({ phase }) => phases.at(-1) === phase || phases.push(phase),
      });
      expect(info).toEqual(await infoOf(path));
      for (const phase of ['convert', 'load']) expect(phases).toContain(phase);
    }
  });

  test('takes a FileList, and leaves out what lies in folders below', async () => {
    const below = { 'tiny/onnx/config.json': '{}', 'tiny/.git/model.safetensors': 'x' };
    const expected = await infoOf(hubFiles());
    expect(await infoOf(picked({ ...below, ...inFolder('tiny') }))).toEqual(expected);
    expect(await infoOf(picked({ 'all/read.me': 'x', ...inFolder('all/tiny') }))).toEqual(expected);
    expect(
      await errorOf(infoOf(picked({ ...inFolder('all/one'), ...inFolder('all/two') }))),
    ).toMatchObject({
      ...{ code: 'invalid_argument', details: { subject: 'source' } },
      message: expect.stringContaining('all/one/ and all/two/'),
    });
  });

  test('sleeps, and wakes from the same files', async () => {
    using model = await built.loadModel<'whisper'>(hubFiles(), { autoSleep: 0.001 });
    const before = await model.tokenizer.encode('a');
    while (!model.asleep) await turns(1);
    expect(await model.tokenizer.encode('a')).toEqual(before);
  });

  test('refuses what is for other sources, and files that are none of a model', async () => {
    for (const options of [{ revision: 'v1' }, { cache: true }] as const) {
      expect(await errorOf(infoOf(hubFiles(), options))).toMatchObject({
        ...{ code: 'invalid_argument', details: { subject: Object.keys(options)[0] } },
      });
    }
    const without = (name: string): File[] => hubFiles().filter((file) => file.name !== name);
    for (const source of [without('config.json'), without('model.safetensors'), picked({})]) {
      expect(await errorOf(infoOf(source))).toMatchObject({
        ...{ code: 'invalid_argument', details: { subject: 'source' } },
      });
    }
  });

  test('fails as conversion does, and with what the caller aborts or throws, at any step', async () => {
    const cut = hubFiles().map((file) =>
      file.name === 'model.safetensors' ? new File([file.slice(0, -5)], file.name) : file,
    );
    expect(await errorOf(infoOf(cut))).toMatchObject({ code: 'malformed' });
    const torch = [
      ...hubFiles().filter(({ name }) => !/safetensors/.test(name)),
      new File(['PK\u0003\u0004'.padEnd(64)], 'pytorch_model.bin'),
    ];
    expect(await errorOf(infoOf(torch))).toMatchObject({
      code: expect.stringMatching(/unsupported|unknown/),
    });
    let steps = 0;
    await infoOf(hubFiles(), { onProgress: () => ++steps });
    const reasons = [new Error('enough'), 'a text', null];
    for (const part of [0, 0.3, 0.6, 1]) {
      // The last report says that all is done.
      const step = Math.floor(part * (steps - 2));
      const reason = reasons[step % reasons.length];
      const stop = new AbortController();
      let count = 0;
      const aborts = (): void => {
        if (count++ === step) stop.abort(reason);
      };
      const aborted = infoOf(hubFiles(), { signal: stop.signal, onProgress: aborts });
      expect(await errorOf(aborted)).toBe(reason);
      const throws = (): void => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- a caller's callback may
        if (count-- === 1) throw reason;
      };
      expect(await errorOf(infoOf(hubFiles(), { onProgress: throws }))).toBe(reason);
    }
  });
});

test('a manifest and its shards in a FileList are opened as they are in an array', async () => {
  const shards = asFiles(tinyShards());
  const list = picked(
    Object.fromEntries(
      await Promise.all(
        [...shards, new File(['{}'], 'config.json'), new File(['x'], 'model.safetensors')].map(
          async (file) => [`tiny/${file.name}`, await file.arrayBuffer()] as const,
        ),
      ),
    ),
  );
  using model = await built.loadModel(list);
  using expected = await built.loadModel(shards);
  expect(model.info).toEqual(expected.info);
  expect((await built.inspect(list)).tensors).toEqual((await built.inspect(shards)).tensors);
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
