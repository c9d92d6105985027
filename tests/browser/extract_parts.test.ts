// Parts of model files extracted in a page: the bytes that Node extracts, by code that is downloaded for it.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
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

test('a page extracts networks and token tables into streams', () =>
  withPackagePage(browser, false, async ({ page, problems, requests }) => {
    const before = [...requests];
    const file = writeApril(smallApril);
    const found = await page.evaluate(async (bytes) => {
      const address = '/index.mjs';
      const { extractNetwork, extractPart, SusurrusError } = (await import(
        address
      )) as typeof BrowserEntry;
      const source = new Blob([Uint8Array.from(bytes)]);
      const parts: number[][] = [];
      const collector = () => {
        const part: number[] = [];
        parts.push(part);
        return new WritableStream<Uint8Array>({ write: (chunk) => void part.push(...chunk) });
      };
      const { name, size } = await extractNetwork(source, 'joiner', collector());
      const byteCount = await extractPart(source, 'tokens', collector());
      const refused = await extractNetwork(source, 'none', collector()).catch(
        (error: unknown) => error instanceof SusurrusError && error.code,
      );
      return { parts, name, size, byteCount, refused };
    }, Array.from(file));
    const { extractPart } = await builtPackage();
    const { stream, bytes } = collectedStream();
    const byteCount = await extractPart(file, 'tokens', stream);
    const joiner = Array.from(smallApril.networks[2]!);
    expect(found).toEqual({
      parts: [joiner, Array.from(bytes()), []],
      ...{ name: 'joiner', size: joiner.length, byteCount, refused: 'invalid_argument' },
    });
    const isOnDemand = (name: string): boolean =>
      !before.some((path) => path.endsWith(name)) && requests.some((path) => path.endsWith(name));
    expect(['inspect.mjs', 'files.wasm'].map(isOnDemand)).toEqual([true, true]);
    expect(problems).toEqual([]);
  }));
