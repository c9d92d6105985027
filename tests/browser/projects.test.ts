// The projects of examples/ that are quick to build: built from the packed package and used in Chromium. Complaints 86 to 90 of
// other packages' users: files that are not found, copied by hand, or broken by a bundler. `npm run test:projects` has the rest.
import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { buildQuickProject } from '../../scripts/projects/build_project.mjs';
import { driveExample } from '../../scripts/projects/drive_page.mjs';
import { projects } from '../../scripts/projects/table.mjs';
import { serve } from '../../scripts/serve_demo.mjs';
import { limit } from '../support/limits.js';
import { installPacked } from '../support/packed_package.js';
import type { EmptyProject } from '../support/packed_package.js';
import { projectRoot } from '../support/shared_folder.js';
import { sampleSegments } from './browser_page.js';
import { launchBrowser } from './package_page.js';

jest.setTimeout(limit(120_000));

const sample = join(projectRoot, 'web/demo/sample.wav');
const text = sampleSegments.join(' ');
const threadsOf = (isolated: boolean) => (isolated ? Math.min(8, availableParallelism()) : 1);

let project: EmptyProject;
let browser: Browser;
beforeAll(async () => {
  project = installPacked();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  project.remove();
});

const quick = projects.filter((one) => one.quick);
// vite_package.test.ts has more of Vite.
const pages = quick.filter(({ name, served }) => served !== undefined && name !== 'vite');
const programs = quick.filter(({ program }) => program !== undefined);

describe('complaints 86 to 90: a page', () => {
  test.each(pages)('of $name transcribes, with one thread and with several', async (one) => {
    const built = await buildQuickProject(one.name, project.folder);
    const folder = join(built, one.served ?? '');
    const headers = one.policy === undefined ? {} : { 'Content-Security-Policy': one.policy };
    for (const isolated of [false, true]) {
      const server = await serve({ folder, port: 0, isolated, headers });
      try {
        const heard = await driveExample(browser, server.address, sample, limit(60_000));
        expect(heard).toEqual({ text, threads: threadsOf(isolated), problems: [] });
      } finally {
        await server.close();
      }
    }
  });
});

describe('complaint 31: a page that has the package from a CDN on another origin', () => {
  const folderOf = (address: string, addition = ''): string => {
    const folder = join(project.folder, 'cdn');
    cpSync(join(projectRoot, 'examples/cdn'), folder, { recursive: true });
    const main = join(folder, 'main.js');
    const own = 'https://cdn.jsdelivr.net/npm/susurrus@0.1.0/';
    const code = readFileSync(main, 'utf8');
    expect(code).toContain(own);
    writeFileSync(main, code.replace(own, address) + addition);
    return folder;
  };
  const shared = {
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  };

  /** Serves the package on one port and the page on another. */
  async function onTwoOrigins<T>(
    { headers = shared, policy = (cdn: string) => policyFor(cdn), isolated = false },
    work: (page: string, cdn: string) => Promise<T>,
  ): Promise<T> {
    const cdn = await serve({
      ...{ folder: join(project.folder, 'node_modules/susurrus'), port: 0, headers, isolated },
    });
    const page = await serve({
      ...{ folder: folderOf(cdn.address), port: 0, isolated },
      headers: { 'Content-Security-Policy': policy(new URL(cdn.address).origin) },
    });
    try {
      return await work(page.address, cdn.address);
    } finally {
      await page.close();
      await cdn.close();
    }
  }

  /** As docs/bundlers.md gives it. */
  const policyFor = (cdn: string) =>
    `default-src 'none'; script-src 'self' ${cdn} 'wasm-unsafe-eval'; worker-src blob: ${cdn}; connect-src 'self' ${cdn}; img-src data:`;

  test('transcribes, with one thread and with several', async () => {
    for (const isolated of [false, true]) {
      const heard = await onTwoOrigins({ isolated }, (page) =>
        driveExample(browser, page, sample, limit(60_000)),
      );
      expect(heard).toEqual({ text, threads: threadsOf(isolated), problems: [] });
    }
  });

  test('says what its policy lacks', async () => {
    const [heard, cdn] = await onTwoOrigins(
      { policy: (cdn) => policyFor(cdn).replace('worker-src blob:', 'worker-src') },
      async (page, cdn) => [await driveExample(browser, page, sample, limit(60_000)), cdn] as const,
    );
    expect(heard.text).toBe(
      `SusurrusError: The worker ${cdn}dist/worker.mjs did not start or broke off: its script could not be loaded. ` +
        `The page's Content-Security-Policy forbids it: worker-src must allow blob: and ${new URL(cdn).origin}.`,
    );
  });
});

test.each(quick)('$name has the tools that are tested here', ({ name }) => {
  const versionsIn = (folder: string): Record<string, string> => {
    const manifest = readFileSync(join(projectRoot, folder, 'package.json'), 'utf8');
    return (JSON.parse(manifest) as { devDependencies: Record<string, string> }).devDependencies;
  };
  expect(versionsIn('.')).toMatchObject(versionsIn(`examples/${name}`));
});

describe('a program', () => {
  test.each(programs)('of $name prints the text', async ({ name, program = [] }) => {
    const cwd = await buildQuickProject(name, project.folder);
    const [command, ...args] = program;
    const printed = execFileSync(command!, [...args, sample, 'digits'], { cwd, encoding: 'utf8' });
    expect(printed.trim()).toBe(text);
  });
});
