// Models that are kept in a page, and what may happen to them on the way. Names have the numbers of the complaints that they answer.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContext } from 'playwright-core';
import type * as CacheEntry from '../../web/src/cache.js';
import { builtPackage } from '../support/built_package.js';
import { modelBytes } from '../support/embedded_model.js';
import { startModelServer, type ModelServer } from '../support/model_server.js';
import {
  changeKept,
  hasEngine,
  heard,
  openKeptPage,
  withContext,
  type KeptPage,
} from './kept_page.js';
import { launchBrowser } from './package_page.js';

const digits = modelBytes();
const size = digits.length;
const url = '/kept/m.apr';
const kept = { cache: true } as const;
const quick = { cache: true, isSilent: true } as const;

let browser: Browser;
let server: ModelServer;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  server = await startModelServer({ 'kept/m.apr': { bytes: digits, tag: '"one"' } });
});
afterEach(() => server.close());

const inContext = (work: (context: BrowserContext) => Promise<void>): Promise<void> =>
  withContext(browser, work);
const onPage = (work: (page: KeptPage) => Promise<void>, initScript?: string): Promise<void> =>
  inContext(async (context) => work(await openKeptPage(context, server.address, initScript)));
/** Where the request with this index began; it asked for this state of the file only. */
const startOf = (index: number): number =>
  Number(/ bytes=(\d+)- if "one"$/.exec(server.requests[index] ?? '')?.[1]);
/** Leaves the first million bytes. */
async function stopMidway({ load }: KeptPage): Promise<void> {
  server.faults.stallsAfter = 1_000_000;
  expect(await load(url, { ...quick, stopAfter: 1_000_000 })).toMatchObject({ isStopped: true });
  delete server.faults.stallsAfter;
}
/** Waits until so many bytes are there, by polling: nothing tells a page what another one does. */
async function hasPart({ list, page }: KeptPage, byteCount: number): Promise<void> {
  while (((await list())[0]?.byteCount ?? 0) < byteCount) await page.waitForTimeout(20);
}

test('44: a model is downloaded once, and progress tells the network from what is kept', () =>
  onPage(async ({ load, list, page }) => {
    expect(await load(url, kept)).toEqual({ ...heard, warnings: [], phases: ['load', 'download'] });
    expect(await list()).toMatchObject([
      { name: `${server.address}${url}`, complete: true, byteCount: size, totalBytes: size },
    ]);
    await page.reload();
    expect(await load(url, kept)).toMatchObject({ ...heard, phases: ['load', 'cache'] });
    expect(await load(url, { cache: 'only' })).toMatchObject(heard);
    expect(server.requests).toEqual([`GET ${url}`]);
  }));

test('what is not asked to be kept is not, and needs no code for it', () =>
  onPage(async ({ load, list, page }) => {
    const scripts: string[] = [];
    page.context().on('request', (request) => scripts.push(new URL(request.url()).pathname));
    expect(await load(url)).toMatchObject({ ...heard, phases: ['load'] });
    expect(scripts).not.toContain('/cache.mjs');
    expect(await list()).toEqual([]);
    expect(await load(url, { cache: 'only' })).toMatchObject({ code: 'source_failed' });
    expect(server.requests).toHaveLength(1);
  }));

describe('48: a download that breaks off', () => {
  const places = [0.01, 0.1, 0.5, 0.99].map((share) => Math.floor(share * size));

  test('at 1, 10, 50 and 99 % goes on in the same load', () =>
    onPage(async (opened) => {
      const { load, page } = opened;
      server.faults.stallsAfter = places[0] ?? 0;
      const loading = load(url, kept);
      for (const [i, place] of places.entries()) {
        await hasPart(opened, place);
        server.faults.stallsAfter = (places[i + 1] ?? Infinity) - place;
        server.drop();
      }
      expect(await loading).toMatchObject(heard);
      expect(server.requests.slice(1).map((_, i) => startOf(i + 1))).toEqual(places);
      await page.reload();
      expect(await load(url, { cache: 'only' })).toMatchObject(heard);
    }));

  test('since its tab was closed at 1, 10, 50 and 99 % goes on in the next one', () =>
    inContext(async (context) => {
      let before = 0;
      for (const place of places) {
        server.faults.stallsAfter = place - before;
        const page = await openKeptPage(context, server.address);
        const broken = page.load(url, quick).catch(() => 'closed');
        await hasPart(page, place);
        await page.page.close();
        expect(await broken).toBe('closed');
        before = place;
      }
      delete server.faults.stallsAfter;
      const page = await openKeptPage(context, server.address);
      expect(await page.list()).toMatchObject([{ complete: false, byteCount: places[3] }]);
      expect(await page.load(url, kept)).toMatchObject({
        ...heard,
        phases: ['load', 'cache', 'download'],
      });
      expect(server.requests.slice(1).map((_, i) => startOf(i + 1))).toEqual(places);
      expect(server.sentBytes).toBe(size);
    }));

  test('since the caller aborted with any reason goes on in the next load', () =>
    onPage(async ({ load, list }) => {
      for (const [i, stopAfter] of places.entries()) {
        server.faults.stallsAfter = stopAfter - (places[i - 1] ?? 0);
        expect(await load(url, { ...quick, stopAfter })).toMatchObject({ isStopped: true });
      }
      delete server.faults.stallsAfter;
      expect(await list()).toMatchObject([{ complete: false, byteCount: places[3] }]);
      expect(await load(url, kept)).toMatchObject(heard);
      expect(server.requests.slice(1).map((_, i) => startOf(i + 1))).toEqual(places);
    }));

  test('since the server was restarted goes on with it', () =>
    onPage(async (page) => {
      server.faults.stallsAfter = 1_000_000;
      const loading = page.load(url, kept);
      await hasPart(page, 1_000_000);
      await hasEngine(page);
      await server.stop();
      delete server.faults.stallsAfter;
      await server.start();
      expect(await loading).toMatchObject(heard);
      expect(startOf(1)).toBe(1_000_000);
    }));

  test('since its worker was killed goes on in the next load', () =>
    onPage(async (page) => {
      await page.page.evaluate(() => {
        class WatchedWorker extends Worker {
          constructor(...args: ConstructorParameters<typeof Worker>) {
            super(...args);
            if (String(args[0]).includes('cache')) {
              Object.assign(window, { kill: () => super.terminate() });
            }
          }
        }
        globalThis.Worker = WatchedWorker;
      });
      server.faults.stallsAfter = 1_000_000;
      void page.load(url, quick).catch(() => undefined);
      await hasPart(page, 1_000_000);
      await page.page.evaluate(() => (window as unknown as { kill: () => void }).kill());
      delete server.faults.stallsAfter;
      expect(await page.load(url, kept)).toMatchObject(heard);
      expect(startOf(1)).toBe(1_000_000);
    }));

  test('and never comes back says so, and is gone on with the next time', () =>
    onPage(async (page) => {
      server.faults.stallsAfter = 1_000_000;
      const failing = page.load(url, quick);
      await hasPart(page, 1_000_000);
      delete server.faults.stallsAfter;
      server.faults.refusals = [500, 404];
      server.drop();
      const failure = await failing;
      expect(failure.code).toBe('source_failed');
      expect(failure.message).toMatch(/m\.apr: the server answered HTTP 404/);
      expect(await page.load(url, kept)).toMatchObject(heard);
      expect(startOf(server.requests.length - 1)).toBe(1_000_000);
    }));

  test.each([404, 403, 503])('keeps its part when a server answers %d', (status) =>
    onPage(async (page) => {
      const { load, list } = page;
      await stopMidway(page);
      const [part] = await list();
      server.faults.refusals = [status];
      expect(await load(url, quick)).toMatchObject({ code: 'source_failed' });
      expect(await list()).toEqual([part]);
      expect(await load(url, kept)).toMatchObject(heard);
    }),
  );
});

describe('49: what does not belong together is not put together', () => {
  /** The model with one wrong byte in the middle, which only the checksum of the whole file reveals. */
  const damaged = (): Uint8Array => {
    const other = digits.slice();
    other[500_000] = (other[500_000] ?? 0) ^ 1;
    return other;
  };

  test('a file that changed meanwhile is fetched from its beginning', () =>
    onPage(async (page) => {
      const { load } = page;
      server.files.set('kept/m.apr', { bytes: damaged(), tag: '"one"' });
      await stopMidway(page);
      server.files.set('kept/m.apr', { bytes: digits, tag: '"two"' });
      expect(await load(url, kept)).toMatchObject({ ...heard, phases: ['load', 'download'] });
      expect(server.requests).toHaveLength(2);
    }));

  test('one that changes during a load is fetched once more', () =>
    onPage(async ({ load }) => {
      server.files.set('kept/m.apr', { bytes: damaged(), tag: '"one"' });
      server.faults.cuts = [1_000_000];
      const loading = load(url, kept);
      while (server.requests.length === 0) await new Promise((done) => setTimeout(done, 5));
      server.files.set('kept/m.apr', { bytes: digits, tag: '"two"' });
      expect(await loading).toMatchObject(heard);
      expect(await load(url, { cache: 'only' })).toMatchObject(heard);
    }));

  test('a server that knows no ranges begins again', () =>
    onPage(async (page) => {
      const { load } = page;
      await stopMidway(page);
      server.faults.ignoresRanges = true;
      server.faults.cuts = [1_500_000];
      expect(await load(url, kept)).toMatchObject({ ...heard, phases: ['load', 'download'] });
    }));

  test('a part of a server that gives no tags is not gone on with', () =>
    onPage(async (page) => {
      const { load } = page;
      server.files.set('kept/m.apr', { bytes: damaged() });
      await stopMidway(page);
      server.files.set('kept/m.apr', { bytes: digits });
      expect(await load(url, kept)).toMatchObject(heard);
      expect(server.requests).toEqual([`GET ${url}`, `GET ${url}`]);
    }));

  test('a part that is wrong in spite of its tag is fetched again, once', () =>
    onPage(async (page) => {
      const { load } = page;
      server.files.set('kept/m.apr', { bytes: damaged(), tag: '"one"' });
      await stopMidway(page);
      server.files.set('kept/m.apr', { bytes: digits, tag: '"one"' });
      expect(await load(url, kept)).toMatchObject(heard);
      expect(server.requests).toHaveLength(3);
      expect(await load(url, { cache: 'only' })).toMatchObject(heard);
    }));

  test('a file that is wrong on the server is never kept', () =>
    onPage(async ({ load }) => {
      server.files.set('kept/m.apr', { bytes: damaged(), tag: '"one"' });
      for (let i = 0; i < 2; ++i) {
        expect(await load(url, quick)).toMatchObject({ code: 'checksum_mismatch' });
      }
      expect(await load(url, { cache: 'only' })).toMatchObject({ code: 'source_failed' });
    }));

  test.each(['flip', 'cut', 'empty'] as const)(
    'a kept file that is corrupt (%s) is deleted and fetched again, once',
    (change) =>
      onPage(async (page) => {
        await page.load(url, quick);
        await changeKept(page, change);
        const only = await page.load(url, { ...quick, cache: 'only' });
        expect(only.code).toMatch(/checksum_mismatch|source_failed/);
        expect(await page.load(url, kept)).toMatchObject(heard);
        expect(server.requests).toHaveLength(2);
        expect(await page.load(url, { cache: 'only' })).toMatchObject(heard);
      }),
  );
});

test('49: of a kept file with digests only the piece that is corrupt is fetched again', () =>
  onPage(async (page) => {
    const { addPieceDigests } = await builtPackage();
    const pieces: Uint8Array[] = [];
    const sink = new WritableStream<Uint8Array>({ write: (piece) => void pieces.push(piece) });
    await addPieceDigests(digits, sink);
    server.files.set('kept/m.apr', { bytes: Buffer.concat(pieces), tag: '"one"' });
    await page.load(url, quick);
    await changeKept(page, 'flip');
    expect(await page.load(url, kept)).toMatchObject(heard);
    expect(server.requests).toEqual([
      `GET ${url}`,
      expect.stringMatching(/ bytes=[1-9]\d+-\d+ if "one"$/),
    ]);
    expect(server.sentBytes).toBe(Buffer.concat(pieces).length + (1 << 20));
    expect(await page.load(url, { cache: 'only' })).toMatchObject(heard);
  }));

describe('two tabs that want one model', () => {
  async function race(context: BrowserContext, rounds: number): Promise<void> {
    const pages = [
      await openKeptPage(context, server.address),
      await openKeptPage(context, server.address),
    ];
    for (let i = 0; i < rounds; ++i) {
      const before = server.requests.length;
      const drains = pages.map(async ({ drain, page }, tab) => {
        await page.waitForTimeout(tab * 7 * (i % 5));
        return drain({ url: `${server.address}${url}` });
      });
      expect(await Promise.all(drains)).toEqual([[], []]);
      expect(server.requests).toHaveLength(before + 1);
      await pages[0]?.page.evaluate(async (url) => {
        const entry = '/cache.mjs';
        const { deleteModel } = (await import(entry)) as typeof CacheEntry;
        await deleteModel(url);
      }, url);
    }
    for (const { load } of pages) expect(await load(url, kept)).toMatchObject(heard);
  }

  test('download it once', () => inContext((context) => race(context, 20)));

  test('download it once without Web Locks too', () =>
    inContext((context) => {
      const noLocks = "Object.defineProperty(navigator, 'locks', { value: undefined });";
      server.preludes.set('worker.cache.mjs', noLocks);
      return race(context, 20);
    }));

  test('it is not deleted in one while the other downloads it', () =>
    inContext(async (context) => {
      server.faults.stallsAfter = 1_000_000;
      const [one, other] = [
        await openKeptPage(context, server.address),
        await openKeptPage(context, server.address),
      ];
      void one.load(url, quick).catch(() => undefined);
      await hasPart(one, 1_000_000);
      const code = await other.page.evaluate(async (url) => {
        const entry = '/cache.mjs';
        const { deleteModel } = (await import(entry)) as typeof CacheEntry;
        return deleteModel(url).then(
          () => 'deleted',
          (error: unknown) => (error as { code: string }).code,
        );
      }, url);
      expect(code).toBe('wrong_state');
    }));
});

describe('a browser that', () => {
  const noOpfs =
    "navigator.storage.getDirectory = () => Promise.reject(new DOMException('no', 'SecurityError'));";
  const noCacheApi = "caches.open = () => Promise.reject(new DOMException('no', 'SecurityError'));";
  const inWorker = (code: string): void => void server.preludes.set('worker.cache.mjs', code);

  test('52: has no room, as it says before, loads the model and says that it is not kept', () => {
    inWorker('navigator.storage.estimate = async () => ({ quota: 2e6, usage: 1e6 });');
    return onPage(async ({ load, list }) => {
      const loaded = await load(url, kept);
      expect(loaded).toMatchObject(heard);
      expect(loaded.warnings).toEqual([
        'not kept: the browser has room for 1 MB, and 3 MB are needed',
      ]);
      expect((await list()).filter(({ complete }) => complete)).toEqual([]);
    });
  });

  test.each([
    ['throws', "throw new DOMException('full', 'QuotaExceededError');"],
    ['writes nothing', 'return 0;'],
  ])('52: runs out of room in the middle (%s) loads the model all the same', (_how, refuse) => {
    inWorker(`{
      const { write } = FileSystemSyncAccessHandle.prototype;
      FileSystemSyncAccessHandle.prototype.write = function (bytes, options) {
        if (options.at > 1e6) { ${refuse} }
        return write.call(this, bytes, options);
      };
    }`);
    return onPage(async ({ load, list }) => {
      const loaded = await load(url, kept);
      expect(loaded).toMatchObject(heard);
      expect(loaded.warnings?.join()).toMatch(/^not kept: the browser has no room left .* 3 MB$/);
      // A part that did not fit only takes room from others.
      expect(await list()).toEqual([]);
      server.preludes.clear();
      expect(await load(url, kept)).toMatchObject({ ...heard, warnings: [] });
      expect(server.requests).toHaveLength(2);
      expect(server.requests.join()).not.toContain('bytes=');
    });
  });

  test('50: refuses its file system keeps models in the Cache API, and goes on with them', () => {
    inWorker(noOpfs);
    return onPage(async (page) => {
      const { load, list } = page;
      expect(await load(url, kept)).toMatchObject({ ...heard, warnings: [] });
      expect((await list()).filter(({ complete }) => complete)).toMatchObject([
        { byteCount: size, totalBytes: size },
      ]);
      expect(await load(url, kept)).toMatchObject({ ...heard, phases: ['load', 'cache'] });
      expect(await load(url, { cache: 'only' })).toMatchObject(heard);
      expect(server.requests.filter((request) => request.includes(url))).toHaveLength(1);
    }, noOpfs);
  });

  test('50: has a file system that cannot be written keeps models in the Cache API', () => {
    inWorker(
      `FileSystemFileHandle.prototype.createSyncAccessHandle = () =>
         Promise.reject(new DOMException('not here', 'NotSupportedError'));`,
    );
    return onPage(async ({ load, list, page }) => {
      expect(await load(url, kept)).toMatchObject({ ...heard, warnings: [] });
      await page.reload();
      expect(await load(url, { cache: 'only' })).toMatchObject(heard);
      expect(await list()).toMatchObject([{ complete: true, byteCount: size }]);
    });
  });

  test('50: refuses all storage loads models and says that they are not kept', () => {
    inWorker(noOpfs + noCacheApi);
    return onPage(async ({ load, list }) => {
      const loaded = await load(url, kept);
      expect(loaded).toMatchObject(heard);
      expect(loaded.warnings).toEqual(['not kept: the browser gives this page no storage']);
      expect(await list()).toEqual([]);
    }, noOpfs + noCacheApi);
  });

  test('55: has no writable streams of files keeps models with synchronous handles', () => {
    const noWritables = 'delete FileSystemFileHandle.prototype.createWritable;';
    inWorker(noWritables);
    return onPage(async ({ load, page }) => {
      expect(await load(url, kept)).toMatchObject({ ...heard, warnings: [] });
      await page.reload();
      expect(await load(url, { cache: 'only' })).toMatchObject(heard);
    }, noWritables);
  });

  test('54a: is asked tells the place, the room and its promise', () =>
    onPage(async ({ load, page }) => {
      await load(url, quick);
      const [space, isPersistent] = await page.evaluate(async () => {
        const entry = '/cache.mjs';
        const { cacheSpace, persist } = (await import(entry)) as typeof CacheEntry;
        return [await cacheSpace(), await persist()] as const;
      });
      expect(space).toMatchObject({ kind: 'opfs', persistent: false });
      expect(space.modelBytes).toBeGreaterThanOrEqual(size);
      expect(space.availableBytes).toBeGreaterThan(size);
      expect(typeof isPersistent).toBe('boolean');
    }));
});
