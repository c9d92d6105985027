// Sealed models in a page, under the strict policy: written there, loaded there, and free for pages that have none.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type * as FilesEntry from '../../web/src/files.js';
import type * as BrowserEntry from '../../web/src/index.js';
import { sampleSegments } from './browser_page.js';
import { launchBrowser, withPackagePage } from './package_page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

test('a page encrypts, signs and opens a model, with code that others do not download', () =>
  withPackagePage(browser, false, async ({ page, problems, requests }) => {
    const isFree = !requests.some((path) => /(^|\/)(crypto\.mjs|files\.(mjs|wasm))$/.test(path));

    const outcome = await page.evaluate(async () => {
      const [root, tools] = ['/index.mjs', '/model_files.mjs'];
      const { loadModel, SusurrusError } = (await import(root)) as typeof BrowserEntry;
      const susurrus = (await import(tools)) as typeof FilesEntry;
      const plain = await (await fetch('/demo/models/digits.apr')).blob();
      const key = crypto.getRandomValues(new Uint8Array(32));
      const { privateKey, publicKey } = await susurrus.generateSigningKey();
      const intoBlob = async (work: (sink: WritableStream<Uint8Array>) => Promise<unknown>) => {
        const parts: Uint8Array<ArrayBuffer>[] = [];
        await work(
          new WritableStream<Uint8Array>({
            write: (part) => void parts.push(part as Uint8Array<ArrayBuffer>),
          }),
        );
        return new Blob(parts);
      };
      const encrypted = await intoBlob((sink) => susurrus.encryptModel(plain, sink, { key }));
      const signed = await intoBlob((sink) =>
        susurrus.signModel(encrypted, sink, { key: privateKey }),
      );
      const keys = { key, publicKeys: [publicKey] };
      const model = await loadModel<'whisper'>(signed, keys);
      const sound = await (await fetch('/demo/sample.wav')).blob();
      const { text } = await model.transcribe(sound, { vad: false });
      const { signer, warnings } = model.info;
      model.dispose();
      const { valid } = await susurrus.verifyModel(signed, keys);
      const file = await susurrus.openModelFile(signed, { key });
      const name = 'encoder.conv1.weight';
      const original = await susurrus.openModelFile(plain);
      const values = [await file.tensor(name), await original.tensor(name)].map(({ values }) =>
        values.join(),
      );
      file.close();
      original.close();
      let failure: unknown;
      await loadModel<'whisper'>(signed, {
        key: new Uint8Array(32),
        publicKeys: [publicKey],
      }).catch((error: unknown) => (failure = error));
      let refusal: unknown;
      await susurrus
        .encryptModel(plain, 'model.apr', { key })
        .catch((error: unknown) => (refusal = error));
      const told = [failure, refusal].map((error) =>
        error instanceof SusurrusError ? [error.code, error.details.subject] : String(error),
      );
      const hex = Array.from(publicKey, (byte) => byte.toString(16).padStart(2, '0')).join('');
      const isDecrypted = values[0] === values[1];
      return { text: text.trim(), isTrusted: signer === hex, warnings, valid, isDecrypted, told };
    });

    expect(problems).toEqual([]);
    expect(outcome).toEqual({
      text: sampleSegments.join(' '),
      isTrusted: true,
      warnings: [],
      valid: true,
      isDecrypted: true,
      told: [
        ['decryption_failed', 'encoder.conv1.weight'],
        ['invalid_argument', 'destination'],
      ],
    });
    expect(isFree).toBe(true);
    expect(requests).toContain('crypto.mjs');
  }));
