// Pages that keep models: an empty page on the server of the models, whose console uses the package as its users do.
import type { FromWorker } from '../../web/src/protocol/link.js';
import type { StoreLink } from '../../web/tools/cache/calls.js';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { limit } from '../support/limits.js';
import { sampleBytes, sampleText } from '../support/embedded_model.js';
import type * as BrowserEntry from '../../web/src/index.js';
import type * as CacheEntry from '../../web/src/cache.js';
import type * as StoreEntry from '../../web/tools/cache/entry.js';
import type { LoadOptions } from '../../web/src/index.js';

export interface KeptPage {
  readonly page: Page;
  /** Loads and transcribes the sample. What happened, or how it failed. */
  readonly load: (source: string, options?: PageOptions) => Promise<Outcome>;
  /** downloadModel(): what it answers, or how it fails. */
  readonly download: (model: string, options?: PageOptions) => Promise<Downloaded>;
  /** Reads a model into nothing, as an engine would that finds it right. Answers the warnings. */
  readonly drain: (model: DrainedModel) => Promise<readonly string[]>;
  /** What is kept. */
  readonly list: () => Promise<Awaited<ReturnType<typeof CacheEntry.listModels>>>;
}

export type DrainedModel =
  { readonly url: string } | { readonly name: string; readonly hub: string };

export type PageOptions = Pick<LoadOptions, 'cache' | 'dtype' | 'hub' | 'revision' | 'token'> & {
  /** Aborts, with any reason, after so many bytes from the network. */
  readonly stopAfter?: number;
  /** Loads only. */
  readonly isSilent?: boolean;
};

export interface Outcome {
  readonly text?: string;
  readonly warnings?: readonly string[];
  readonly code?: string;
  readonly message?: string;
  /** In the order of their first events. */
  readonly phases: readonly string[];
  /** Whether an aborted load rejected with the signal's own reason. */
  readonly isStopped?: boolean;
}

export type Downloaded = Partial<CacheEntry.DownloadedModel> & Outcome;

export const heard: Partial<Outcome> = { text: sampleText };

export async function openKeptPage(
  context: BrowserContext,
  address: string,
  initScript?: string,
): Promise<KeptPage> {
  context.setDefaultTimeout(limit(30_000));
  const page = await context.newPage();
  if (initScript !== undefined) await page.addInitScript(initScript);
  await page.goto(address);
  const sample = Buffer.from(sampleBytes()).toString('base64');
  const load: KeptPage['load'] = (source, options = {}) =>
    page.evaluate(
      async ({ source, options, sample }) => {
        const entry = '/index.mjs';
        const { loadModel, SusurrusError } = (await import(entry)) as typeof BrowserEntry;
        const { stopAfter = Infinity, isSilent = false, ...given } = options;
        const phases = new Set<string>();
        const bar: number[] = [];
        const controller = new AbortController();
        try {
          const model = await loadModel<'whisper'>(source, {
            ...given,
            variant: 'simd',
            threads: 1,
            signal: controller.signal,
            onProgress: ({ phase, loaded, overall }) => {
              phases.add(phase);
              bar.push(overall);
              if (phase === 'load') Object.assign(window, { loaded });
              if (phase === 'download' && loaded >= stopAfter) controller.abort({ any: 'reason' });
            },
          });
          if (bar.some((part, i) => part < (bar[i - 1] ?? 0)) || bar.at(-1) !== 1) {
            throw new Error(`This is not one bar: ${bar.join()}`);
          }
          const sound = Uint8Array.from(atob(sample), (letter) => letter.charCodeAt(0));
          const { text } = isSilent ? { text: '' } : await model.transcribe(sound);
          model.dispose();
          return { text: text.trim(), warnings: model.info.warnings, phases: [...phases] };
        } catch (error) {
          const { signal } = controller;
          if (signal.aborted) return { isStopped: error === signal.reason, phases: [...phases] };
          if (!(error instanceof SusurrusError)) throw error;
          const { code, message } = error;
          return { code, message, phases: [...phases] };
        }
      },
      { source, options, sample },
    );
  const download: KeptPage['download'] = (model, options = {}) =>
    page.evaluate(
      async ({ model, options }) => {
        const entry = '/cache.mjs';
        const { downloadModel } = (await import(entry)) as typeof CacheEntry;
        const { stopAfter = Infinity, ...given } = options;
        const phases = new Set<string>();
        const controller = new AbortController();
        try {
          const kept = await downloadModel(model, {
            ...given,
            signal: controller.signal,
            onProgress: ({ phase, loaded }) => {
              phases.add(phase);
              if (phase === 'download' && loaded >= stopAfter) controller.abort({ any: 'reason' });
            },
          });
          return { ...kept, phases: [...phases] };
        } catch (error) {
          const { signal } = controller;
          if (signal.aborted) return { isStopped: error === signal.reason, phases: [...phases] };
          const { code = '', message } = error as Error & { code?: string };
          return { code, message, phases: [...phases] };
        }
      },
      { model, options },
    );
  const drain: KeptPage['drain'] = (model) =>
    page.evaluate(async (model) => {
      const entry = '/cache.mjs';
      const { openStored } = (await import(entry)) as typeof StoreEntry;
      const hub = 'hub' in model ? { hub: model.hub } : {};
      // The package's own link to a worker, without an engine behind it.
      const openLink = (converts: boolean): StoreLink => {
        const script = converts ? '/worker.hub.mjs' : '/worker.cache.mjs';
        const worker = new Worker(script, { type: 'module' });
        // As the package's link does: Firefox ends a worker that only its own listeners know.
        Object.assign(window, { worker });
        const waiting = new Map<number, [(answer: never) => void, (error: unknown) => void]>();
        worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
          if (data.type === 'event') return;
          const [done, failed] = waiting.get(data.id)!;
          if (data.type === 'answer') done(data.answer as never);
          else failed(new Error(data.error.message));
        };
        const addresses = { 'files.wasm': `${location.origin}/files.wasm` };
        worker.postMessage({ type: 'open', addresses });
        let id = 0;
        return {
          call: (name, request) =>
            new Promise((done, failed) => {
              waiting.set(++id, [done, failed]);
              worker.postMessage({ type: 'call', id, name, request });
            }),
          close: () => worker.terminate(),
        };
      };
      const stored = await openStored({ model, ...hub, cache: true }, openLink, () =>
        Promise.reject(new Error('nothing is mended here')),
      );
      try {
        const { chunks } = await stored.open();
        for await (const chunk of chunks) if (chunk.length === 0) throw new Error('empty');
        return await stored.keep();
      } finally {
        await stored.close();
      }
    }, model);
  const list: KeptPage['list'] = () =>
    page.evaluate(async () => {
      const entry = '/cache.mjs';
      const { listModels } = (await import(entry)) as typeof CacheEntry;
      return listModels();
    });
  return { page, load, download, drain, list };
}

/** Waits until the engine runs, which is fetched from the same server, and has bytes of the model. */
export async function hasEngine({ page }: KeptPage): Promise<void> {
  await page.waitForFunction(() => Number((window as { loaded?: number }).loaded) > 0);
}

/** A context of its own, so that nothing is kept in it, for `work`. */
export async function withContext<T>(
  browser: Browser,
  work: (context: BrowserContext) => Promise<T>,
): Promise<T> {
  // The demo page's worker would ask for all of its files, too.
  const context = await browser.newContext({ serviceWorkers: 'block' });
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}

/** Damages the largest file that is kept, as a failing disk might. */
export async function changeKept(
  { page }: KeptPage,
  change: 'flip' | 'cut' | 'empty',
): Promise<void> {
  await page.evaluate(async (change) => {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle('susurrus');
    for await (const [name, handle] of folder.entries()) {
      if (!name.endsWith('.apr')) continue;
      const file = handle as FileSystemFileHandle;
      const bytes = new Uint8Array(await (await file.getFile()).arrayBuffer());
      const at = bytes.length >> 1;
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      const lengths = { flip: bytes.length, cut: at, empty: 0 };
      const writable = await file.createWritable();
      await writable.write(bytes.subarray(0, lengths[change]));
      await writable.close();
    }
  }, change);
}

/** The bytes of the only model that is kept, as base64. */
export const keptBytes = ({ page }: KeptPage): Promise<string> =>
  page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle('susurrus');
    for await (const [name, handle] of folder.entries()) {
      if (!name.endsWith('.apr')) continue;
      const bytes = await (await (handle as FileSystemFileHandle).getFile()).arrayBuffer();
      const letters = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte));
      return btoa(letters.join(''));
    }
    return '';
  });
