// WebKitGTK's MiniBrowser through its WebDriver, on a screen of its own where there is none.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findWebKit } from '../toolchain/find_browsers.mjs';
import { limited } from './driven_browser.mjs';

const webKit = findWebKit();

/** What Safari has switched on, and MiniBrowser has not. */
const storageFeatures = '+FileSystem,+FileSystemWritableStream,+StorageAPI,+StorageAPIEstimate';

/** Whether all programs that it takes are there. */
export const hasWebKit = webKit !== undefined;

export const freePort = () =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

/** Starts a virtual screen (Xvfb); returns its name, which Xvfb writes when the screen is ready. */
async function startScreen() {
  const screen = spawn(webKit.screen, ['-displayfd', '3', '-screen', '0', '1280x900x24'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const number = await new Promise((done, failed) => {
    screen.stdio[3].on('data', (chunk) => done(chunk.toString().trim()));
    screen.on('exit', () => failed(new Error('Xvfb ended.')));
  });
  return { name: `:${number}`, process: screen };
}

const environmentFor = (screen) => ({
  ...process.env,
  DISPLAY: screen.name,
  WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
  // Its threads that paint on a GPU, emulated here, have crashed (SkiaGPUWorker, 2.50.6).
  WEBKIT_SKIA_ENABLE_CPU_RENDERING: '1',
});

/**
 * Opens a page without a driver, so that its storage survives a reload; in a driven browser it does not. Returns a function that
 * closes it.
 * @type {(address: string) => Promise<() => Promise<void>>}
 */
export async function showInWebKit(address) {
  const screen = await startScreen();
  const home = mkdtempSync(join(tmpdir(), 'susurrus-webkit-'));
  const browser = spawn(webKit.browser, [`--features=${storageFeatures}`, address], {
    env: { ...environmentFor(screen), HOME: home, XDG_DATA_HOME: home, XDG_CACHE_HOME: home },
    stdio: 'ignore',
  });
  return async () => {
    const ended = new Promise((done) => browser.once('exit', done));
    browser.kill();
    await ended;
    screen.process.kill();
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  };
}

/** @type {() => Promise<import('./driven_browser.mjs').DrivenBrowser>} */
export async function launchWebKit() {
  const screen = await startScreen();
  const port = await freePort();
  const driver = spawn(webKit.driver, [`--port=${port}`], {
    env: environmentFor(screen),
    stdio: 'ignore',
  });
  const end = () => {
    driver.kill();
    screen.process.kill();
  };

  const ask = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`WebKitWebDriver: ${JSON.stringify(value)}`);
    return value;
  };
  const started = async () => {
    for (let tries = 0; ; ++tries) {
      try {
        await ask('GET', '/status');
        return;
      } catch (error) {
        if (tries === 300) throw error;
        await new Promise((done) => setTimeout(done, 100));
      }
    }
  };

  try {
    await started();
    const options = { binary: webKit.browser, args: ['--automation'] };
    const { sessionId } = await ask('POST', '/session', {
      capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
    });
    const session = `/session/${sessionId}`;
    await ask('POST', `${session}/timeouts`, { script: 300_000, pageLoad: 300_000 });
    const browser = {
      async open(address) {
        await ask('POST', `${session}/url`, { url: address });
        return {
          async run(body) {
            const outcome = await ask('POST', `${session}/execute/async`, {
              script: `const done = arguments[arguments.length - 1];
                (async () => { ${body} })().then(
                  (value) => done({ value }), (error) => done({ error: String(error) }));`,
              args: [],
            });
            if (outcome.error !== undefined) throw new Error(outcome.error);
            return outcome.value;
          },
          // It has one window, which the next page takes.
          close: () => Promise.resolve(),
        };
      },
      close: () => ask('DELETE', session),
    };
    return limited(browser, end);
  } catch (error) {
    end();
    throw error;
  }
}
