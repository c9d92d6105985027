// Complaint 95: a Manifest V3 extension, examples/extension with the packed package, transcribes in each place that it has.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { BrowserContext } from 'playwright-core';
import { buildQuickProject } from '../../scripts/projects/build_project.mjs';
import { limit } from '../support/limits.js';
import { installPacked } from '../support/packed_package.js';
import type { EmptyProject } from '../support/packed_package.js';
import { projectRoot } from '../support/shared_folder.js';
import { sampleSegments } from './browser_page.js';
import { chromium } from './package_page.js';

jest.setTimeout(limit(120_000));

const profile = mkdtempSync(join(tmpdir(), 'susurrus-extension-'));
let project: EmptyProject;
let context: BrowserContext;
beforeAll(async () => {
  project = installPacked();
  const folder = await buildQuickProject('extension', project.folder);
  const executablePath = process.env.CHROMIUM ?? '';
  context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: false, // by Chromium's own new headless mode: Playwright's has no extensions
    args: [
      ...['--headless=new', '--no-sandbox'],
      ...[`--disable-extensions-except=${folder}`, `--load-extension=${folder}`],
    ],
  });
});
afterAll(async () => {
  await context.close();
  project.remove();
  rmSync(profile, { recursive: true });
});

test.each(['page', 'offscreen', 'background'])('transcribes: %s', async (place) => {
  const [running] = context.serviceWorkers();
  const background = running ?? (await context.waitForEvent('serviceworker'));
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(new URL('page.html?model=digits', background.url()).href);
  await page.selectOption('select', place);
  await page.setInputFiles('input', join(projectRoot, 'web/demo/sample.wav'));
  await page.waitForFunction(() => document.querySelector('output')?.value, undefined, {
    timeout: limit(60_000),
  });
  const text = await page.locator('output').textContent();
  expect({ text: text?.trim(), problems }).toEqual({
    text: sampleSegments.join(' '),
    problems: [],
  });
  await page.close();
});
