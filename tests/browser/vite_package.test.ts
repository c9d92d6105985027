import { spawn } from 'node:child_process';
import { copyFileSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { serve } from '../../scripts/serve_demo.mjs';
import { limit } from '../support/limits.js';
import { installPacked } from '../support/packed_package.js';
import type { EmptyProject } from '../support/packed_package.js';
import { projectRoot } from '../support/shared_folder.js';
import { sampleSegments } from './browser_page.js';
import { launchBrowser } from './package_page.js';

jest.setTimeout(limit(120_000));

const page = `<!doctype html><title>busy</title><link rel="icon" href="data:,">
<script type="module" src="main.js"></script><p id="text"></p>`;

const program = `
import { loadModel } from 'susurrus';
import sample from './sample.wav?url';

try {
  const model = await loadModel();
  const { text } = await model.transcribe(await (await fetch(sample)).blob());
  document.querySelector('#text').textContent = 
    model.info.variant + ' ' + model.info.threads + ':' + text;
} catch (error) {
  document.querySelector('#text').textContent = String(error);
}
document.title = 'done';
`;

const vite = join(projectRoot, 'node_modules/vite/bin/vite.js');

let project: EmptyProject;
let browser: Browser;
beforeAll(async () => {
  project = installPacked();
  project.write('index.html', page);
  project.write('main.js', program);
  copyFileSync(join(projectRoot, 'web/demo/sample.wav'), join(project.folder, 'sample.wav'));
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  project.remove();
});

/** What the page at this address says when it is done, and what went wrong on the way. */
async function textOf(address: string): Promise<{ text: string | null; problems: string[] }> {
  const opened = await browser.newPage();
  const problems: string[] = [];
  opened.on('pageerror', (error) => problems.push(error.message));
  opened.on('requestfailed', (request) => problems.push(request.url()));
  opened.on('request', (request) => {
    const isOwn = request.url().startsWith(address) || request.url().startsWith('data:');
    if (!isOwn) problems.push(`elsewhere: ${request.url()}`);
  });
  await opened.goto(address);
  await opened.waitForFunction(() => document.title === 'done', undefined, {
    timeout: limit(60_000),
  });
  return { text: await opened.textContent('#text'), problems };
}

test('a page built by Vite transcribes, under the strict policy', async () => {
  project.node(vite, 'build', '--logLevel', 'error');
  const assets = readdirSync(join(project.folder, 'dist/assets'));
  // The binaries and the worker, for one thread and for several, the threads' own worker, the module for files with its
  // worker, and the model became files of the build.
  for (const [pattern, count] of [
    [/simd.*\.wasm$/, 2],
    [/relaxed.*\.wasm$/, 2],
    [/^files.*\.wasm$/, 1],
    [/^worker.*\.m?js$/, 3],
    [/^thread.*\.m?js$/, 1],
    [/\.apr$/, 1],
  ] as const) {
    expect(assets.filter((name) => pattern.test(name))).toHaveLength(count);
  }
  for (const isolated of [false, true]) {
    const server = await serve({ folder: join(project.folder, 'dist'), port: 0, isolated });
    try {
      const { text, problems } = await textOf(server.address);
      const threads = isolated ? Math.min(8, availableParallelism()) : 1;
      expect(text).toBe(`relaxed ${threads}: ${sampleSegments.join(' ')}`);
      expect(problems).toEqual([]);
    } finally {
      await server.close();
    }
  }
});

test("a page on Vite's development server transcribes, without configuration", async () => {
  const server = spawn(process.execPath, [vite, '--port', '0', '--clearScreen', 'false'], {
    cwd: project.folder,
    env: { ...process.env, NO_COLOR: '1' },
  });
  try {
    const address = await new Promise<string>((done, failed) => {
      let output = '';
      server.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const found = /http:\/\/localhost:\d+\//.exec(output);
        if (found) done(found[0]);
      });
      server.on('close', () => failed(new Error(`Vite ended: ${output}`)));
    });
    const { text, problems } = await textOf(address);
    expect(text).toBe(`relaxed 1: ${sampleSegments.join(' ')}`);
    expect(problems).toEqual([]);
  } finally {
    server.kill();
  }
});
