// What suites need of a browser: Chromium, or one of the others where they are installed.

/**
 * @typedef {object} DrivenPage
 * @property {(body: string) => Promise<unknown>} run Runs the body of an async function in the page and answers what it returns,
 *   as JSON would.
 * @property {() => Promise<void>} close
 */

/**
 * @typedef {object} DrivenBrowser
 * @property {(address: string) => Promise<DrivenPage>} open
 * @property {() => Promise<void>} close
 */

/**
 * What Playwright and Puppeteer drive alike.
 * @type {(browser: import('playwright-core').Browser | import('puppeteer-core').Browser) => DrivenBrowser}
 */
export const drivenBy = (browser) => ({
  async open(address) {
    const page = await browser.newPage();
    await page.goto(address);
    return {
      run: (body) => page.evaluate(`(async () => { ${body} })()`),
      close: () => page.close(),
    };
  },
  close: () => browser.close(),
});
