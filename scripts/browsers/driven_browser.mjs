// What suites need of a browser: Chromium, or one of the others where they are installed.
import { slownessFrom } from '../toolchain/slowness.mjs';

/**
 * @typedef {object} DrivenPage
 * @property {(body: string) => Promise<unknown>} run Runs the body of an async function in the page and returns its result,
 *   as JSON would.
 * @property {() => Promise<void>} close
 */

/**
 * @typedef {object} DrivenBrowser
 * @property {(address: string) => Promise<DrivenPage>} open
 * @property {() => Promise<void>} close
 */

/** Seconds on a quiet machine: against hangs alone. */
const most = { open: 30, run: 75, close: 10 };

/**
 * Returns the result of `work`; fails with an error that names the action if it takes more than these seconds of a quiet machine.
 * @template Result
 * @type {(seconds: number, act: string, work: Promise<Result>) => Promise<Result>}
 */
export async function within(seconds, act, work) {
  const limit = seconds * slownessFrom(process.env.SUSURRUS_TEST_SLOWNESS);
  let timer;
  const late = new Promise((_, failed) => {
    timer = setTimeout(() => failed(new Error(`${act} did not end in ${limit} s.`)), limit * 1000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Wraps a browser so that each of its actions has a time limit. close() always calls `end`, even if the browser does not close.
 * @type {(browser: DrivenBrowser, end: () => unknown) => DrivenBrowser}
 */
export const limited = (browser, end) => ({
  async open(address) {
    const page = await within(most.open, `Opening ${address}`, browser.open(address));
    return {
      run: (body) => within(most.run, `A script on ${address}`, page.run(body)),
      // A page that stays ends with its browser; what the script on it came to is worth more than an error about that.
      close: () => within(most.close, 'Closing a page', page.close()).catch(warn),
    };
  },
  async close() {
    try {
      await within(most.close, 'Closing a browser', browser.close());
    } catch (error) {
      warn(error);
    } finally {
      await end();
    }
  },
});

function warn(error) {
  console.warn(String(error));
}

/**
 * What Playwright and Puppeteer drive alike, without their own limits, which are not those of a slow machine.
 * @type {(browser: import('playwright-core').Browser | import('puppeteer-core').Browser) => DrivenBrowser}
 */
export const drivenBy = (browser) => ({
  async open(address) {
    const page = await browser.newPage();
    await page.goto(address, { timeout: 0 });
    return {
      run: (body) => page.evaluate(`(async () => { ${body} })()`),
      close: () => page.close(),
    };
  },
  close: () => browser.close(),
});
