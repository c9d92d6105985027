// Chromium, driven as the others are.
import { chromium } from 'playwright-core';
import { drivenBy } from './driven_browser.mjs';

/** @type {(executablePath: string) => Promise<import('./driven_browser.mjs').DrivenBrowser>} */
export async function launchChromium(executablePath) {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  return drivenBy(browser);
}
