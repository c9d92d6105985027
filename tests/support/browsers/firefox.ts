// Firefox through WebDriver BiDi.
import puppeteer from 'puppeteer-core';
import { findOnPath } from '../../../scripts/toolchain/steps.mjs';
import type { DrivenBrowser } from './driven_browser.js';

/** Debian's is called firefox-esr. */
export const firefoxPath: string | undefined =
  process.env.FIREFOX ?? findOnPath('firefox-esr') ?? findOnPath('firefox');

export async function launchFirefox(): Promise<DrivenBrowser> {
  if (firefoxPath === undefined) throw new Error('There is no Firefox on the path.');
  const browser = await puppeteer.launch({
    ...{ browser: 'firefox', executablePath: firefoxPath, headless: true },
  });
  return {
    async open(address) {
      const page = await browser.newPage();
      await page.goto(address);
      return {
        run: (body) => page.evaluate(`(async () => { ${body} })()`),
        close: () => page.close(),
      };
    },
    close: () => browser.close(),
  };
}
