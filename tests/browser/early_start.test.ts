// An early start in Chromium: the server holds the end of the file back until the page says that its first window is encoded.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type * as BrowserEntry from '../../web/src/index.js';
import { modelBytes, sampleBytes, sampleText } from '../support/embedded_model.js';
import { startModelServer } from '../support/model_server.js';
import { launchBrowser } from './package_page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const bytes = modelBytes();
const heldBack = 5000;
const pieceBytes = 1 << 15;

/** Sends a model slowly, and its last bytes when /rest is fetched; counts what it had sent by then. */
async function startSlowServer(): Promise<{
  readonly address: string;
  readonly sentBeforeRest: () => number | undefined;
  readonly close: () => void;
}> {
  let sent = 0;
  let sentBeforeRest: number | undefined;
  let model: ServerResponse | undefined;
  const send = async (response: ServerResponse): Promise<void> => {
    const end = bytes.length - heldBack;
    for (let at = 0; at < end; at += pieceBytes) {
      const piece = bytes.subarray(at, Math.min(end, at + pieceBytes));
      await new Promise((done) => response.write(piece, done));
      await new Promise((done) => setImmediate(done));
      sent += piece.length;
    }
  };
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    if (request.url === '/rest') {
      sentBeforeRest = sent;
      model?.end(bytes.subarray(bytes.length - heldBack));
      response.end();
      return;
    }
    model = response;
    response.writeHead(200, { 'content-length': bytes.length });
    void send(response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sentBeforeRest: () => sentBeforeRest,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test('the first window is encoded before the last byte has come', async () => {
  const server = await startSlowServer();
  const pages = await startModelServer({});
  // The demo page's worker would ask for all of its files, too.
  const context = await browser.newContext({ serviceWorkers: 'block' });
  try {
    const page = await context.newPage();
    await page.goto(pages.address);
    const sample = Buffer.from(sampleBytes()).toString('base64');
    const text = await page.evaluate(
      async ({ slow, sample }) => {
        const entry = '/index.mjs';
        const { loadModel } = (await import(entry)) as typeof BrowserEntry;
        const wav = Uint8Array.from(atob(sample), (c) => c.charCodeAt(0));
        const model = await loadModel<'whisper'>(`${slow}/model.apr`, { early: true });
        const heard = await model.transcribe(wav, {
          onProgress: ({ phase }) => {
            if (phase === 'wait') void fetch(`${slow}/rest`);
          },
        });
        await model.loaded;
        model.dispose();
        return heard.text.trim();
      },
      { slow: server.address, sample },
    );
    expect(text).toBe(sampleText);
    expect(server.sentBeforeRest()).toBe(bytes.length - heldBack);
  } finally {
    await context.close();
    await pages.close();
    server.close();
  }
});
