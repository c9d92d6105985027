// Chromium, driven as the others are.
import { chromium } from 'playwright-core';

/** @type {(executablePath: string) => Promise<import('./driven_browser.mjs').DrivenBrowser>} */
export async function launchChromium(executablePath) {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
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
