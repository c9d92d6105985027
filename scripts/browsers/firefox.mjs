// Firefox through WebDriver BiDi.
import puppeteer from 'puppeteer-core';
import { findOnPath } from '../toolchain/steps.mjs';
import { drivenBy } from './driven_browser.mjs';

/** Debian's is called firefox-esr; undefined where there is none. */
export const firefoxPath =
  process.env.FIREFOX ?? findOnPath('firefox-esr') ?? findOnPath('firefox');

/** @type {() => Promise<import('./driven_browser.mjs').DrivenBrowser>} */
export async function launchFirefox() {
  if (firefoxPath === undefined) throw new Error('There is no Firefox on the path.');
  const browser = await puppeteer.launch({
    ...{ browser: 'firefox', executablePath: firefoxPath, headless: true },
  });
  return drivenBy(browser);
}
