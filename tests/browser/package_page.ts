// Pages from whose console the package is used as its users do, and the browser that they are in.
import { join } from 'node:path';
import { test } from '@jest/globals';
import type * as Playwright from 'playwright-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { serve } from '../../scripts/serve_demo.mjs';
import { limit } from '../support/limits.js';
import type { EmptyProject } from '../support/packed_package.js';
import { projectRoot } from '../support/shared_folder.js';
import { launchStockFirefox } from './stock_firefox.js';

/** Past jest, which would load it anew for each suite: a second of processor time (tests/support/jest_environment.mjs). */
const { requirePastJest } = globalThis as unknown as { requirePastJest: NodeJS.Require };
export const { chromium, firefox } = requirePastJest('playwright-core') as typeof Playwright;

/** `npm run test:browsers` runs the suites in Firefox too. */
export const isFirefox = process.env.SUSURRUS_BROWSER === 'firefox';

/** All that suites need and Firefox lacks. */
const lackedByFirefox = {
  aac: 'it decodes AAC with the FFmpeg of the system, where there is one',
  microphones: 'its fake microphone is one, whose name it tells only once it was used',
} as const;

/** In place of `test`: what needs this runs in Chromium alone. */
export const testWith = (lack: keyof typeof lackedByFirefox): typeof test =>
  isFirefox && lack in lackedByFirefox ? (test.skip as typeof test) : test;

const usualArguments = ['--no-sandbox', '--disable-gpu'];

/** Chromium without windows where that is installed: it takes a third less time for a page. */
export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  if (isFirefox) return launchStockFirefox(firefox, args);
  const executablePath = process.env.CHROMIUM_HEADLESS ?? process.env.CHROMIUM;
  if (!executablePath) throw new Error('CHROMIUM does not name a browser: npm run test:browser');
  const browser = await chromium.launch({ executablePath, args: [...usualArguments, ...args] });
  const slowdown = Number(process.env.SUSURRUS_TEST_PAGE_SLOWDOWN ?? 1);
  if (slowdown > 1) slowPages(browser, slowdown);
  return browser;
}

/** Slows the own thread of every page, which leaves workers as fast as they are. */
function slowPages(browser: Browser, rate: number): void {
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    const newPage = context.newPage.bind(context);
    context.newPage = async () => {
      const page = await newPage();
      const session = await context.newCDPSession(page);
      await session.send('Emulation.setCPUThrottlingRate', { rate });
      return page;
    };
    return context;
  };
}

export interface PackagePage {
  readonly page: Page;
  readonly problems: string[];
  /** Paths below dist. */
  readonly requests: string[];
}

/** Hands over the demo's page under the strict policy, at rest, on a server whose root is dist. */
export async function withPackagePage<T>(
  browser: Browser,
  isolated: boolean,
  work: (opened: PackagePage) => Promise<T>,
): Promise<T> {
  const server = await serve({ folder: join(projectRoot, 'dist'), port: 0, isolated });
  // The demo page's worker would ask for all of its files, too.
  const context = await browser.newContext({ serviceWorkers: 'block' });
  try {
    context.setDefaultTimeout(limit(30_000));
    await chooseDigits(context);
    const page = await context.newPage();
    const problems: string[] = [];
    const requests: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    context.on('request', (request) => requests.push(new URL(request.url()).pathname.slice(1)));
    await page.goto(`${server.address}demo/`);
    await page.waitForSelector('html[data-state="idle"]', {
      timeout: limit(60_000),
      state: 'attached',
    });
    return await work({ page, problems, requests });
  } finally {
    await context.close();
    await server.close();
  }
}

export const vite = join(projectRoot, 'node_modules/vite/bin/vite.js');

/** The ten-word model is what the demo page begins with, as if it had been chosen on an earlier visit. */
export async function chooseDigits(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    try {
      localStorage['susurrus.model'] ??= 'page:models/digits.apr';
    } catch {
      // A document without storage of its own.
    }
  });
}

/** Writes a page for Vite. Its program is `imports`, then `body`, which puts into `text` what the page is to say. */
export function writeVitePage(project: EmptyProject, imports: string, body: string): void {
  project.write(
    'index.html',
    `<!doctype html><title>busy</title><link rel="icon" href="data:,">
<script type="module" src="main.js"></script><p id="text"></p>`,
  );
  project.write(
    'main.js',
    `${imports}
let text;
try {
  ${body}
} catch (error) {
  text = String(error);
}
document.querySelector('#text').textContent = text;
document.title = 'done';
`,
  );
}

/** What the page of writeVitePage() at this address says when it is done, and what went wrong on the way. */
export async function textOf(
  browser: Browser,
  address: string,
): Promise<{ text: string | null; problems: string[] }> {
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
