/* global document */
// A page of examples/ as a person uses it: a recording is chosen, the text appears.

/**
 * What the page at `address` writes for a recording, how many threads it says that it has, and what went wrong on it.
 * @type {(
 *   browser: import('playwright-core').Browser,
 *   address: string,
 *   recording: string,
 *   timeout?: number,
 * ) => Promise<{ text: string; threads: number; problems: string[] }>}
 */
export async function driveExample(browser, address, recording, timeout = 60_000) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const problems = [];
    let threads = 0;
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      const isIcon = message.location().url.endsWith('/favicon.ico');
      if (message.type() === 'error' && !isIcon) problems.push(message.text());
      const said = /, (\d) threads: /.exec(message.text());
      if (said) threads = Number(said[1]);
    });
    await page.goto(`${address}?model=digits`);
    // Frameworks put their handlers in place some time after the page has been loaded.
    await page.waitForLoadState('networkidle', { timeout });
    await page.setInputFiles('input', recording);
    await page.waitForFunction(() => document.querySelector('output')?.textContent, undefined, {
      timeout,
    });
    const text = await page.locator('output').textContent();
    return { text: text?.trim() ?? '', threads, problems };
  } finally {
    await context.close();
  }
}
