// A model that is kept over reloads in browsers besides Chromium, where they are installed. The pages tell the server what happened:
// WebKitGTK keeps nothing while it is driven, so it is only shown the page.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, jest, test } from '@jest/globals';
import { firefoxPath, launchFirefox } from '../../scripts/browsers/firefox.mjs';
import { hasWebKit, showInWebKit } from '../../scripts/browsers/webkit.mjs';
import { modelBytes } from '../support/embedded_model.js';
import { limit } from '../support/limits.js';
import { startModelServer } from '../support/model_server.js';

jest.setTimeout(limit(120_000));

interface Visit {
  readonly warnings?: readonly string[];
  readonly error?: string;
  readonly kept?: readonly { readonly complete: boolean; readonly byteCount: number }[];
}

const digits = modelBytes();

/** Loads the model, tells how that went, and reloads itself. */
const page = `<!doctype html><title>kept</title><script type="module">
  const [visit, reports] = location.hash.slice(1).split(',');
  let report;
  try {
    const { loadModel } = await import('/index.mjs');
    const { listModels } = await import('/cache.mjs');
    const model = await loadModel('/m.apr', { cache: visit === '0' ? true : 'only', threads: 1 });
    report = { warnings: model.info.warnings, kept: await listModels() };
    model.dispose();
  } catch (error) {
    report = { error: String(error) };
  }
  await fetch(decodeURIComponent(reports), { method: 'POST', body: JSON.stringify(report) });
  if (visit === '0') {
    location.hash = '1,' + reports;
    location.reload();
  }
</script>`;

/** What two visits of one browser tell; the second may not use the network. */
async function visits(show: (address: string) => Promise<() => Promise<void>>): Promise<{
  readonly seen: readonly Visit[];
  readonly requests: readonly string[];
}> {
  const server = await startModelServer({
    'm.apr': { bytes: digits, tag: '"one"' },
    'page.html': { bytes: Buffer.from(page) },
  });
  const seen: Visit[] = [];
  let told = (): void => undefined;
  const reports = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    let text = '';
    request.on('data', (chunk: Buffer) => (text += String(chunk)));
    request.on('end', () => {
      response.end();
      seen.push(JSON.parse(text) as Visit);
      told();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((done) => reports.once('listening', done));
  const { port } = reports.address() as AddressInfo;
  const to = encodeURIComponent(`http://127.0.0.1:${port}/`);
  const close = await show(`${server.address}/page.html#0,${to}`);
  try {
    while (seen.length < 2) await new Promise<void>((done) => (told = done));
    return { seen, requests: server.requests.filter((request) => request.includes('m.apr')) };
  } finally {
    await close();
    reports.close();
    await server.close();
  }
}

const browsers = [
  {
    name: 'Firefox',
    isThere: firefoxPath !== undefined,
    show: async (address: string) => {
      const browser = await launchFirefox();
      await browser.open(address);
      return () => browser.close();
    },
  },
  { name: 'WebKitGTK', isThere: hasWebKit, show: showInWebKit },
] as const;

for (const { name, isThere, show } of browsers) {
  (isThere ? describe : describe.skip)(name, () => {
    test('44: a model outlives a reload, and is downloaded once', async () => {
      const { seen, requests } = await visits(show);
      const kept = [{ complete: true, byteCount: digits.length }];
      expect(seen).toMatchObject([
        { warnings: [], kept },
        { warnings: [], kept },
      ]);
      expect(requests).toEqual(['GET /m.apr']);
    });
  });
}
