// Jobs in headless Chromium: each in a page of its own, in a worker of it.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { root, StepError } from '../toolchain/steps.mjs';
import { ensureTools } from '../toolchain/tools.mjs';

const types = { '.mjs': 'text/javascript', '.js': 'text/javascript', '.wasm': 'application/wasm' };
const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};
/** Nothing else of the project's folder is served. */
const served =
  /^\/(dist|models|build\/bench|build\/wasm\/load_limits|scripts\/bench)[/.](?!.*\.\.)[\w@./-]+$/;

function answer({ url }, response, headers) {
  if (url === '/') {
    response.writeHead(200, { ...headers, 'Content-Type': 'text/html' });
    return response.end('<!doctype html><title>bench</title>');
  }
  const file = join(root, url);
  const stat = served.test(url) ? statSync(file, { throwIfNoEntry: false }) : undefined;
  if (!stat?.isFile()) {
    response.writeHead(404);
    return response.end();
  }
  response.writeHead(200, {
    ...headers,
    'Content-Type': types[extname(url)] ?? 'application/octet-stream',
    'Content-Length': stat.size,
  });
  createReadStream(file, { highWaterMark: 1 << 20 }).pipe(response);
}

async function startServer(headers) {
  const server = createServer((request, response) => answer(request, response, headers));
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** In the page: starts the worker and waits for its answer. */
function workIn(job) {
  return new Promise((done, failed) => {
    const worker = new globalThis.Worker('/scripts/bench/browser_job.mjs', { type: 'module' });
    worker.onmessage = ({ data }) => done(data);
    worker.onerror = (event) => failed(new Error(event.message));
    worker.postMessage(job);
  });
}

/**
 * Answers {title, knowsRelaxed, loadSources (of measure_load.mjs), run(job), close()}. A job with `isIsolated` or more than one thread gets a page with
 * cross-origin isolation, every other one a page without.
 */
export async function openBrowser() {
  const { chromium: executablePath } = await ensureTools(['chromium']);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const plain = await startServer({});
  const isolated = await startServer(isolation);
  const run = async (job) => {
    const server = job.isIsolated || job.threads > 1 ? isolated : plain;
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(server.address);
      const { result, error } = await page.evaluate(workIn, job);
      if (error) throw new StepError(`A measurement failed: ${error}`);
      return result;
    } finally {
      await context.close();
    }
  };
  return {
    title: `headless Chromium ${browser.version()}`,
    knowsRelaxed: true,
    loadSources: ['blob', 'stream'],
    run,
    async close() {
      await browser.close();
      plain.close();
      isolated.close();
    },
  };
}
