// Firefox through WebDriver BiDi.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer from 'puppeteer-core';
import { findFirefox } from '../toolchain/find_browsers.mjs';
import { drivenBy, limited, within } from './driven_browser.mjs';

/** Undefined where there is none. */
export const firefoxPath = findFirefox();

/**
 * @typedef {import('./driven_browser.mjs').DrivenBrowser & {
 *   program: import('node:child_process').ChildProcess;
 *   profile: string;
 * }} DrivenFirefox
 */

/** @type {() => Promise<DrivenFirefox>} */
export async function launchFirefox() {
  if (firefoxPath === undefined) throw new Error('There is no Firefox on the path.');
  // Puppeteer lets a Firefox run on, with its profile, that does not answer when it is to close.
  const life = new AbortController();
  const profile = mkdtempSync(join(tmpdir(), 'susurrus-firefox-'));
  const end = async (program) => {
    life.abort(); // ends all its processes
    if (program?.exitCode === null && program.signalCode === null) await once(program, 'exit');
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    const launching = puppeteer.launch({
      ...{ browser: 'firefox', executablePath: firefoxPath, headless: true },
      ...{ userDataDir: profile, timeout: 0, protocolTimeout: 0, signal: life.signal },
    });
    const browser = await within(60, 'Starting Firefox', launching);
    const program = browser.process();
    return { ...limited(drivenBy(browser), () => end(program)), program, profile };
  } catch (error) {
    await end();
    throw error;
  }
}
