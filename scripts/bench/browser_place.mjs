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
/** Nothing else of the project's folder is served. Measurements import from all of scripts. */
const served =
  /^\/(dist|models|build\/bench|build\/trained|build\/wasm\/load_limits|scripts)[/.](?!.*\.\.)[\w@./-]+$/;

function answer({ url }, response, { headers, missed }) {
  if (url === '/') {
    response.writeHead(200, { ...headers, 'Content-Type': 'text/html' });
    return response.end('<!doctype html><title>bench</title>');
  }
  const file = join(root, url);
  const stat = served.test(url) ? statSync(file, { throwIfNoEntry: false }) : undefined;
  if (!stat?.isFile()) {
    missed.add(url);
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

/** The project's files that pages may have. `missed`: the paths that were asked for in vain. */
export async function startServer(headers) {
  const missed = new Set();
  const server = createServer((request, response) =>
    answer(request, response, { headers, missed }),
  );
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const address = `http://127.0.0.1:${server.address().port}`;
  return { address, missed, close: () => server.close() };
}

/** In the page: starts the worker and waits for its answer. */
function workIn({ program, job }) {
  return new Promise((done) => {
    const worker = new globalThis.Worker(program, { type: 'module' });
    worker.onmessage = ({ data }) => done(data);
    // The event has no message where a module of the worker could not be loaded.
    worker.onerror = ({ message, filename, lineno }) =>
      done({ error: message ? `${message} (${filename}:${lineno})` : `${program} did not start` });
    worker.postMessage(job);
  });
}

/** What went wrong, with what explains it: files that are not served, and errors in the page's console. */
function failure(error, missed, complaints) {
  const files = [...missed].map((path) => `not served: ${path}`);
  return new StepError([`A measurement failed: ${error}`, ...files, ...complaints].join('\n  '));
}

/**
 * Returns {title, knowsRelaxed, loadSources (of measure_load.mjs), run(job), close()}. A job with `isIsolated` or more than one thread gets a page with
 * cross-origin isolation, every other one a page without. `program`: the worker that does the jobs.
 */
export async function openBrowser(program = '/scripts/bench/browser_job.mjs') {
  const { chromium: executablePath } = await ensureTools(['chromium']);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const plain = await startServer({});
  const isolated = await startServer(isolation);
  const run = async (job) => {
    const server = job.isIsolated || job.threads > 1 ? isolated : plain;
    const context = await browser.newContext();
    const complaints = [];
    server.missed.clear();
    try {
      const page = await context.newPage();
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      await page.goto(server.address);
      const { result, error } = await page.evaluate(workIn, { program, job });
      if (error) throw failure(error, server.missed, complaints);
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
