// Parts of model files extracted in a page: the bytes that Node extracts, by code that is downloaded for it.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type * as FilesEntry from '../../web/src/files.js';
import type * as BrowserEntry from '../../web/src/index.js';
import { smallApril, writeApril } from '../support/april_writer.js';
import { builtPackage } from '../support/built_package.js';
import { collectedStream } from '../support/collected_stream.js';
import { launchBrowser, withPackagePage } from './package_page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

test('a page extracts networks, token tables and tensors into streams', () =>
  withPackagePage(browser, false, async ({ page, problems, requests }) => {
    const before = [...requests];
    const file = writeApril(smallApril);
    const found = await page.evaluate(async (bytes) => {
      const [root, tools] = ['/index.mjs', '/model_files.mjs'];
      const { SusurrusError } = (await import(root)) as typeof BrowserEntry;
      const { extract, openModelFile } = (await import(tools)) as typeof FilesEntry;
      const source = new Blob([Uint8Array.from(bytes)]);
      const parts: number[][] = [];
      const collector = () => {
        const part: number[] = [];
        parts.push(part);
        return new WritableStream<Uint8Array>({ write: (chunk) => void part.push(...chunk) });
      };
      const { network, byteCount: size } = await extract(source, 'network:joiner', collector());
      const { byteCount } = await extract(source, 'tokens', collector());
      const refused = await extract(source, 'network:none', collector()).catch(
        (error: unknown) => error instanceof SusurrusError && error.code,
      );
      const name = network?.name;
      const model = await (await fetch('/demo/models/digits.apr')).blob();
      const tensor = await extract(model, 'tensor:decoder.ln.weight', collector());
      const { values } = await (await openModelFile(model)).tensor('decoder.ln.weight');
      const npy = Uint8Array.from(parts.pop() ?? []);
      const isWhole = npy.length === tensor.byteCount;
      const written = Array.from(new Float32Array(npy.slice(128).buffer));
      const isTensor = isWhole && written.join() === Array.from(values).join();
      return { parts, name, size, byteCount, refused, isTensor };
    }, Array.from(file));
    const { extract } = await builtPackage();
    const { stream, bytes } = collectedStream();
    const { byteCount } = await extract(file, 'tokens', stream);
    const joiner = Array.from(smallApril.networks[2]!);
    expect(found).toEqual({
      parts: [joiner, Array.from(bytes()), []],
      ...{ name: 'joiner', size: joiner.length, byteCount, refused: 'invalid_argument' },
      isTensor: true,
    });
    const isOnDemand = (name: string): boolean =>
      !before.some((path) => path.endsWith(name)) && requests.some((path) => path.endsWith(name));
    expect(['inspect.mjs', 'files.wasm'].map(isOnDemand)).toEqual([true, true]);
    expect(problems).toEqual([]);
  }));
