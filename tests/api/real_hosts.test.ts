// Servers as they are: buckets that forbid what they do not have, sites with a page for everything, odd addresses.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { builtPackage } from '../support/built_package.js';
import { errorOf, modelBytes } from '../support/embedded_model.js';
import { writeHubFolder } from '../support/hub_folder.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let package_: Package;
let server: Server;
let address = '';
let folder = '';
let expected: Buffer;
const files = new Map<string, Uint8Array>();
/** More than connections hold: who neither reads nor cancels it keeps its connection. */
const large = new Uint8Array(32 << 20);
/** Bodies that are still being sent. */
let unfinished = 0;
const defaults = {
  /** What is answered for files that are not there. */
  absent: { status: 404, type: 'text/plain' },
  /** Those that are, whole whatever is asked for. */
  ignoresRanges: false,
  headers: (): Record<string, string> => ({}),
};
let host = { ...defaults };

function answer(request: IncomingMessage, response: ServerResponse): void {
  ++unfinished;
  response.once('close', () => {
    --unfinished;
  });
  const bytes = files.get((request.url ?? '').slice(1));
  if (!bytes) {
    const { status, type } = host.absent;
    response.writeHead(status, { 'content-type': type });
    response.end(request.method === 'HEAD' ? undefined : large);
    return;
  }
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const isPart = from !== undefined && !host.ignoresRanges;
  const body = isPart ? bytes.subarray(Number(from), Number(to) + 1) : bytes;
  const range = `bytes ${from}-${Number(from) + body.length - 1}/${bytes.length}`;
  response.writeHead(isPart ? 206 : 200, {
    'content-type': 'application/octet-stream',
    ...(isPart && { 'content-range': range }),
    ...host.headers(),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Resolves when no connection waits for a reader any more. */
async function released(): Promise<void> {
  while (unfinished > 0) await pause(5);
}

beforeAll(async () => {
  package_ = await builtPackage();
  folder = mkdtempSync(join(tmpdir(), 'susurrus-hosts-'));
  const source = writeHubFolder(join(folder, 'source'));
  for (const name of readdirSync(source)) {
    files.set(`hub/${name}`, readFileSync(join(source, name)));
  }
  await package_.convertModel(source, join(folder, 'expected.apr'), {});
  expected = readFileSync(join(folder, 'expected.apr'));
  files.set('100%.apr', modelBytes());
  files.set('model.apr', modelBytes());
  files.set('large.apr', large);
  server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  host = { ...defaults };
});
afterEach(released);
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const kinds: Record<string, { readonly status: number; readonly type: string }> = {
  'a plain server': { status: 404, type: 'text/plain' },
  'a bucket that must not be listed': { status: 403, type: 'application/xml' },
  'a server that wants a login': { status: 401, type: 'application/json' },
  'a server whose files are gone': { status: 410, type: 'text/plain' },
  'a site of one page': { status: 200, type: 'text/html; charset=utf-8' },
  'a site with a page for errors': { status: 404, type: 'text/html' },
};

describe.each(Object.keys(kinds))('%s', (kind) => {
  const absent = kinds[kind] ?? defaults.absent;
  const said = `HTTP ${absent.status}, ${absent.type}`;
  beforeEach(() => {
    host.absent = absent;
  });

  test.each([false, true])('has a folder without optional files (no ranges: %p)', async (whole) => {
    host.ignoresRanges = whole;
    const output = join(folder, 'output.apr');
    await package_.convertModel(`${address}/hub/`, output, { force: true });
    expect(readFileSync(output).equals(expected)).toBe(true);
    await released();
    expect(unfinished).toBe(0);
  });

  test('says what it said of the file that was named', async () => {
    const url = `${address}/absent.apr`;
    const output = join(folder, 'none.apr');
    for (const work of [
      () => package_.loadModel<'whisper'>(url),
      () => package_.inspect(url),
      () => package_.openModelFile(url),
      () => package_.convertModel(url, output),
    ]) {
      const error = (await errorOf(work())) as Error;
      expect(error).toMatchObject({ code: 'source_failed', details: { subject: url, got: said } });
      expect(error.message).toContain(url);
      expect(error.message).toContain(said);
      await released();
    }
  });

  test('says what it said of the weights that a folder has not', async () => {
    const url = `${address}/nothing/`;
    const error = (await errorOf(package_.convertModel(url, join(folder, 'none.apr')))) as Error;
    expect(error).toMatchObject({ code: 'source_failed', details: { subject: url } });
    expect(error.message).toContain(
      `there is no model.safetensors in it (the server answered ${said})`,
    );
  });
});

test('a percent sign in an address may stand for itself', async () => {
  const url = `${address}/100%.apr`;
  const like = await package_.inspect(`${address}/model.apr`);
  expect((await package_.inspect(url)).tensors).toEqual(like.tensors);
  const opened = await package_.openModelFile(url);
  expect(opened.tensors).toEqual(like.tensors);
  opened.close();
  const output = join(folder, 'percent.apr');
  await package_.convertModel(url, output, { force: true });
  (await package_.loadModel<'whisper'>(url)).dispose();
  for (const work of [package_.inspect, package_.openModelFile, package_.loadModel]) {
    const error = await errorOf(work('file:///no/100%.apr'));
    expect(error).toMatchObject({ code: 'source_failed', details: { reason: 'source' } });
  }
});

describe('a connection is let go of', () => {
  const model = (): string => `${address}/large.apr`;
  const cases: Record<string, () => Promise<unknown>> = {
    'when parts are wanted and there are none': () => {
      host.ignoresRanges = true;
      return package_.openModelFile(model());
    },
    'when statistics are wanted and there are no parts': () => {
      host.ignoresRanges = true;
      return package_.inspect(model(), { stats: true });
    },
    'when the answer is packed': () => {
      host.headers = () => ({ 'content-encoding': 'br' });
      return package_.openModelFile(model());
    },
    'when the bytes are no model': () => package_.loadModel<'whisper'>(model()),
    'when a Response is a refusal': async () =>
      package_.loadModel<'whisper'>(await fetch(`${address}/absent.apr`)),
    'when a neighbour is too large to be taken whole': () => {
      host.ignoresRanges = true;
      files.set('big/model.safetensors', large);
      return package_.convertModel(`${address}/big/`, join(folder, 'none.apr'));
    },
    'when the file changes': () => {
      let tag = 0;
      host.headers = () => ({ etag: `"${++tag}"` });
      return package_.convertModel(`${address}/hub/model.safetensors`, join(folder, 'none.apr'));
    },
    'when a vocabulary is none': () => {
      return package_.loadModel<'whisper'>('digits', { vocabulary: `${address}/absent.tiktoken` });
    },
  };
  test.each(Object.keys(cases))('%s', async (name) => {
    expect(await errorOf(cases[name]!())).toMatchObject({ name: 'SusurrusError' });
    await released();
    expect(unfinished).toBe(0);
  });

  test('when work on it is aborted, whatever the reason', async () => {
    for (const reason of [undefined, new Error('mine'), 'enough', null]) {
      for (const work of [
        (signal: AbortSignal) => package_.loadModel<'whisper'>(`${address}/slow.apr`, { signal }),
        (signal: AbortSignal) => package_.inspect(`${address}/slow.apr`, { signal }),
        (signal: AbortSignal) => package_.openModelFile(`${address}/slow.apr`, { signal }),
        (signal: AbortSignal) =>
          package_.convertModel(`${address}/slow/`, join(folder, 'none.apr'), { signal }),
        (signal: AbortSignal) =>
          package_.loadModel<'whisper'>('digits', {
            signal,
            vocabulary: `${address}/slow.tiktoken`,
          }),
      ]) {
        const controller = new AbortController();
        const isAsked = new Promise<void>((done) => {
          server.removeAllListeners('request');
          server.once('request', (_: IncomingMessage, response: ServerResponse) => {
            // The beginning of a body, and then nothing.
            response.writeHead(206, { 'content-range': 'bytes 0-65535/1000000' });
            response.write('APR2', () => done());
          });
        });
        const failure = errorOf(work(controller.signal));
        await isAsked;
        await pause(1);
        controller.abort(reason);
        expect(await failure).toBe(controller.signal.reason);
      }
    }
    server.removeAllListeners('request');
    server.on('request', answer);
  });
});
