import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '../../scripts/serve_demo.mjs';

describe('the demo server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'susurrus-serve-'));
  let server: Awaited<ReturnType<typeof serve>>;

  beforeAll(async () => {
    mkdirSync(join(folder, 'page/models'), { recursive: true });
    writeFileSync(join(folder, 'secret.txt'), 'secret');
    writeFileSync(join(folder, 'page/index.html'), '<p>page</p>');
    writeFileSync(join(folder, 'page/main.mjs'), 'export {};');
    writeFileSync(join(folder, 'page/engine.wasm'), '\0asm');
    writeFileSync(join(folder, 'page/models/digits.apr'), 'APR');
    writeFileSync(join(folder, 'page/models.json'), '[{"name":"digits.apr"}]');
    writeFileSync(join(folder, 'elsewhere.apr'), 'APR of elsewhere');
    server = await serve({ folder: join(folder, 'page'), port: 0 });
  });

  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  /** Status of a request whose path is sent as it stands; fetch() would tidy it up first. */
  const statusOf = (path: string, method = 'GET'): Promise<number | undefined> =>
    new Promise((done, failed) => {
      const { hostname, port } = new URL(server.address);
      request({ hostname, port, path, method }, (response) => {
        response.resume();
        done(response.statusCode);
      })
        .on('error', failed)
        .end();
    });

  test.each([
    ['', 'text/html; charset=utf-8'],
    ['main.mjs', 'text/javascript; charset=utf-8'],
    ['engine.wasm', 'application/wasm'],
    ['models/digits.apr', 'application/octet-stream'],
  ])('serves /%s as %s', async (path, type) => {
    const response = await fetch(server.address + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
  });

  test('serves files of any size whole, as they are when asked for', async () => {
    const path = join(folder, 'page/large.bin');
    for (const size of [0, 100_000, 4 * 2 ** 20, 4 * 2 ** 20 + 1, 3]) {
      const content = Buffer.alloc(size, `${size} bytes`);
      writeFileSync(path, content);
      const response = await fetch(`${server.address}large.bin`);
      expect(response.headers.get('content-length')).toBe(String(size));
      expect(content.equals(new Uint8Array(await response.arrayBuffer()))).toBe(true);
      const head = await fetch(`${server.address}large.bin`, { method: 'HEAD' });
      expect(head.headers.get('content-length')).toBe(String(size));
    }
  });

  test('sends the policy the page lives under, and no isolation headers', async () => {
    const { headers } = await fetch(server.address);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self' " +
        'https://huggingface.co https://*.huggingface.co https://*.hf.co; ' +
        "style-src 'self'; img-src 'self' data:; media-src 'self' blob:; " +
        "manifest-src 'self'",
    );
    expect(headers.get('cross-origin-opener-policy')).toBeNull();
    expect(headers.get('cross-origin-embedder-policy')).toBeNull();
  });

  test.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/models/..%2f..%2fsecret.txt',
    '/..%5csecret.txt',
    '//secret.txt',
    '/models',
    '/index.html%00',
    '/%',
    '/nothing.html',
  ])('answers 404 to %s', async (path) => {
    expect(await statusOf(path)).toBe(404);
  });

  test('knows GET and HEAD only', async () => {
    expect(await statusOf('/', 'HEAD')).toBe(200);
    expect(await statusOf('/', 'POST')).toBe(405);
  });

  test('offers models of elsewhere in front of the page’s own, and no other file', async () => {
    const models = [{ name: 'tiny.en, mine', path: join(folder, 'elsewhere.apr') }];
    const offering = await serve({ folder: join(folder, 'page'), port: 0, models });
    try {
      const list = (await (await fetch(`${offering.address}models.json`)).json()) as {
        name: string;
        file: string;
      }[];
      expect(list.map(({ name }) => name)).toEqual(['tiny.en, mine', 'digits.apr']);
      const model = await fetch(new URL(list[0]!.file, offering.address));
      expect(model.status).toBe(200);
      expect(await model.text()).toBe('APR of elsewhere');
      for (const path of ['models/elsewhere.apr', 'models/../elsewhere.apr', 'elsewhere.apr']) {
        expect((await fetch(offering.address + path)).status).toBe(404);
      }
    } finally {
      await offering.close();
    }
    const own = await fetch(`${server.address}models.json`);
    expect(await own.json()).toEqual([{ name: 'digits.apr' }]);
  });
});
