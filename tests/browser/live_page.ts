// A page under the strict policy with susurrus/live, a fake microphone that plays a file, and a view of what is asked of the browser.
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { serve } from '../../scripts/serve_demo.mjs';
import type * as Live from '../../web/page/live.js';
import type { ListenStatus, StreamingModel } from '../../web/page/live.js';
import type * as Susurrus from '../../web/src/index.js';
import { limit } from '../support/limits.js';
import { projectRoot } from '../support/shared_folder.js';

export interface LivePage {
  readonly page: Page;
  readonly problems: string[];
  close(): Promise<void>;
}

/** What page functions find among the globals. */
export interface LiveGlobals {
  susurrus: typeof Susurrus;
  live: typeof Live;
  /** All contexts and streams of microphones that were made, and questions to keep the screen on. */
  contexts: AudioContext[];
  microphones: MediaStream[];
  wakeLocks: string[];
  /** Counts samples; says how many when it is closed. */
  fakeModel: () => StreamingModel & { rates: number[]; count: () => number; closed: number };
  /** A stream that sounds as long as the page lets it. */
  tone: () => { stream: MediaStream; context: AudioContext; gain: GainNode };
  /** `listening: nothing-heard` and the like. */
  named: (status: ListenStatus) => string;
  until: (holds: () => boolean) => Promise<void>;
  errorOf: (work: () => unknown) => Promise<{ code?: string; reason?: string; message?: string }>;
}

export interface LivePageOptions {
  readonly isolated?: boolean;
  /** By their names on the server. */
  readonly files?: Readonly<Record<string, string>>;
  /** A module that the page runs by itself: what a test evaluates counts as a click. */
  readonly script?: string;
}

export async function openLivePage(
  browser: Browser,
  { isolated = false, files = {}, script }: LivePageOptions = {},
  before: (page: Page) => unknown = () => undefined,
): Promise<LivePage> {
  const server = await serve({ folder: projectRoot, port: 0, isolated });
  const context = await browser.newContext();
  context.setDefaultTimeout(limit(60_000));
  const page = await context.newPage();
  before(page);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  await page.route('**/empty.html', (route) =>
    route.fulfill({
      contentType: 'text/html',
      headers: {
        ...(isolated && {
          'Cross-Origin-Opener-Policy': 'same-origin',
          'Cross-Origin-Embedder-Policy': 'require-corp',
        }),
        'Content-Security-Policy':
          "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; media-src 'self'; img-src data:",
      },
      body:
        '<!doctype html><title>t</title><link rel="icon" href="data:,"><audio></audio>' +
        (script === undefined ? '' : '<script type="module" src="/script.js"></script>'),
    }),
  );
  for (const [name, path] of Object.entries(files)) {
    await page.route(`**/${name}`, (route) => route.fulfill({ body: readFileSync(path) }));
  }
  if (script !== undefined) {
    await page.route('**/script.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: script }),
    );
  }
  await page.goto(`${server.address}empty.html`);
  if (script === undefined) await page.evaluate(prepare, limit(90_000));
  return {
    page,
    problems,
    async close() {
      await context.close();
      await server.close();
    },
  };
}

/** `most`: milliseconds that a test waits for one thing. */
async function prepare(most: number): Promise<void> {
  const globals = globalThis as unknown as LiveGlobals;
  for (const [name, file] of [
    ['susurrus', 'index'],
    ['live', 'live'],
  ] as const) {
    Object.assign(globals, { [name]: (await import(`/dist/${file}.mjs`)) as unknown });
  }
  globals.contexts = [];
  globals.microphones = [];
  globals.wakeLocks = [];
  const OwnContext = AudioContext;
  globalThis.AudioContext = class extends OwnContext {
    constructor(options?: AudioContextOptions) {
      super(options);
      globals.contexts.push(this);
    }
  };
  const { mediaDevices } = navigator;
  const ask = mediaDevices.getUserMedia.bind(mediaDevices);
  mediaDevices.getUserMedia = async (constraints) => {
    const stream = await ask(constraints);
    globals.microphones.push(stream);
    return stream;
  };
  Object.defineProperty(navigator, 'wakeLock', {
    value: {
      request: (kind: string) => {
        globals.wakeLocks.push(kind);
        const release = () => Promise.resolve(void globals.wakeLocks.push('released'));
        return Promise.resolve({ release });
      },
    },
  });
  globals.fakeModel = () => {
    let samples = 0;
    const model = {
      rates: [] as number[],
      closed: 0,
      count: () => samples,
      stream: ({ sampleRate = 0 } = {}) => {
        model.rates.push(sampleRate);
        let finish = (): void => undefined;
        const finished = new Promise<void>((done) => (finish = done));
        return {
          lag: 0,
          feed: (piece: ArrayLike<number>) => Promise.resolve(void (samples += piece.length)),
          flush: () => Promise.resolve(),
          close: () => {
            model.closed += 1;
            finish();
            return Promise.resolve();
          },
          async *[Symbol.asyncIterator]() {
            await finished;
            yield { type: 'final', id: 0, text: String(samples) };
          },
        } as never;
      },
    };
    return model;
  };
  globals.tone = () => {
    const context = new OwnContext();
    const [source, gain] = [new OscillatorNode(context), new GainNode(context)];
    const out = context.createMediaStreamDestination();
    source.connect(gain).connect(out);
    source.start();
    return { stream: out.stream, context, gain };
  };
  globals.named = ({ state, reason }) => (reason ? `${state}: ${reason}` : state);
  globals.until = async (holds) => {
    const latest = performance.now() + most;
    while (!holds()) {
      if (performance.now() > latest) throw new Error(`In vain for ${String(holds)}`);
      await new Promise((done) => setTimeout(done, 10));
    }
  };
  globals.errorOf = async (work) => {
    try {
      const result = await work();
      if (typeof result === 'object' && result !== null && Symbol.asyncIterator in result) {
        const events = (result as AsyncIterable<unknown>)[Symbol.asyncIterator]();
        while ((await events.next()).done !== true);
      }
      return {};
    } catch (error) {
      const { code, message, details } = error as Susurrus.SusurrusError;
      return { code, message, ...(details.reason && { reason: details.reason }) };
    }
  };
}
