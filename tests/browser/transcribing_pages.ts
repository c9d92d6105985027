// What a browser besides Chromium has to do, with the packed package.
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { serve } from '../../scripts/serve_demo.mjs';
import type { DrivenBrowser } from '../../scripts/browsers/driven_browser.mjs';
import { limit } from '../support/limits.js';
import { installPacked } from '../support/packed_package.js';
import type { EmptyProject } from '../support/packed_package.js';
import { projectRoot } from '../support/shared_folder.js';
import { sampleSegments } from './browser_page.js';

interface Outcome {
  readonly text?: string;
  readonly threads?: number;
  readonly threadsReason?: string;
  readonly error?: string;
}

const text = sampleSegments.join(' ');
const strict = "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";
const shared = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** Tests for a browser; `hasThreads`: whether an isolated page of it shares memory. */
export function testTranscribingPages(browser: () => DrivenBrowser, hasThreads: boolean): void {
  let project: EmptyProject;
  beforeAll(() => {
    project = installPacked();
    project.write('index.html', '<!doctype html><title>blank</title>');
    copyFileSync(join(projectRoot, 'web/demo/sample.wav'), join(project.folder, 'sample.wav'));
    writeFileSync(
      join(project.folder, 'hear.mjs'),
      `export async function hear(base) {
         let act = 'the package';
         const hearAll = async () => {
           const { loadModel } = await import(base + 'dist/index.mjs');
           try {
             act = 'the model';
             const model = await loadModel(base + 'models/digits.apr');
             act = 'the recording';
             const recording = await (await fetch('/sample.wav')).blob();
             act = 'its text';
             const { text } = await model.transcribe(recording);
             const { threads, threadsReason } = model.info;
             model.dispose();
             return { text: text.trim(), threads, threadsReason };
           } catch (error) {
             return { error: String(error) };
           }
         };
         const late = new Promise((_, failed) =>
           setTimeout(() => failed(new Error('In vain for ' + act)), ${limit(45_000)}));
         return Promise.race([hearAll(), late]);
       }`,
    );
  });
  afterAll(() => project.remove());

  /** What a page under a policy hears; its package is on its own server, or at another address. */
  async function hearOn(policy: string, isolated: boolean, base?: string): Promise<Outcome> {
    const headers = { 'Content-Security-Policy': policy };
    const server = await serve({ folder: project.folder, port: 0, isolated, headers });
    try {
      const page = await browser().open(server.address);
      const from = JSON.stringify(base ?? `${server.address}node_modules/susurrus/`);
      const heard = page.run(
        `return (await import(${JSON.stringify(`${server.address}hear.mjs`)})).hear(${from});`,
      );
      return (await heard.finally(() => page.close())) as Outcome;
    } finally {
      await server.close();
    }
  }

  test('transcribes, under the strict policy', async () => {
    expect(await hearOn(strict, false)).toEqual({
      ...{ text, threads: 1, threadsReason: 'the page is not cross-origin isolated' },
    });
  });

  test('transcribes where it is cross-origin isolated, with threads if it has any', async () => {
    const heard = await hearOn(strict, true);
    expect(heard.text).toBe(text);
    if (hasThreads) expect(heard.threadsReason).toBe('as many as processors');
    else expect(heard).toMatchObject({ threads: 1, threadsReason: /threads did not start/ });
  });

  test('complaint 31: transcribes with the package of another origin', async () => {
    const folder = join(project.folder, 'node_modules/susurrus');
    const cdn = await serve({ folder, port: 0, headers: shared });
    const { origin } = new URL(cdn.address);
    const policy = `script-src 'self' ${origin} 'wasm-unsafe-eval'; worker-src blob: ${origin}`;
    try {
      expect(await hearOn(policy, false, cdn.address)).toMatchObject({ text });
    } finally {
      await cdn.close();
    }
  });

  test('transcribes where Trusted Types are enforced', async () => {
    const policy = `${strict}; require-trusted-types-for 'script'; trusted-types susurrus`;
    expect(await hearOn(policy, false)).toMatchObject({ text });
  });

  test("names 'wasm-unsafe-eval' where the policy lacks it", async () => {
    const { error } = await hearOn("script-src 'self'", false);
    expect(error).toMatch(/forbids WebAssembly: add 'wasm-unsafe-eval' to its script-src/);
  });
}
