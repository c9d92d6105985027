// A page of examples/ in any browser: a recording is chosen, the text appears.

/**
 * What the page writes for a recording, and how many threads it says that it has.
 * @type {(
 *   browser: import('../browsers/driven_browser.mjs').DrivenBrowser,
 *   address: string,
 *   recording: Buffer,
 * ) => Promise<{ text: string; threads: number }>}
 */
export async function usePage(browser, address, recording) {
  const page = await browser.open(`${address}?model=digits`);
  try {
    const heard = await page.run(`
      const lines = [];
      console.info = (line) => lines.push(String(line));
      const bytes = Uint8Array.from(atob('${recording.toString('base64')}'), (c) => c.charCodeAt(0));
      const files = new DataTransfer();
      files.items.add(new File([bytes], 'recording.wav', { type: 'audio/wav' }));
      const pause = (time) => new Promise((done) => setTimeout(done, time));
      // Frameworks put their handlers in place some time after the page has been loaded.
      while (document.readyState !== 'complete') await pause(50);
      await pause(500);
      const input = document.querySelector('input');
      input.files = files.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
      for (let tries = 0; tries < 600; ++tries) {
        const text = document.querySelector('output').textContent.trim();
        if (text) return { text, lines };
        await pause(100);
      }
      return { text: 'no text after a minute', lines };`);
    const said = /, (\d) threads: /.exec(heard.lines.join());
    return { text: heard.text, threads: Number(said?.[1] ?? 0) };
  } finally {
    await page.close();
  }
}
