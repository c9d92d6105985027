import { invalidOption, sourceFailed, SusurrusError } from './api/errors.js';
import type { Assets } from './api/types.js';
import { addressesOf, addressOf, type ShippedFile } from './browser_files.js';
import type * as InThreadHosts from './in_thread_hosts.js';
import { startWorker } from './platform/start_worker.js';
import type { EngineLink } from './protocol/engine.js';
import type { NetworksLink } from './protocol/networks.js';
import type { CallTable, FileAddresses, Link, ToWorker } from './protocol/link.js';
import { chooseThreads } from './platform/threads.js';
import { openWorker } from './worker/client.js';
import { openLater } from './worker/open_later.js';
import { decodeWholeFile } from './platform/browser_audio.js';
import { fetchEngine } from './platform/browser_module.js';
import { importAgain } from './platform/import_again.js';
import type { Platform } from './platform/platform.js';

type Hosts = typeof InThreadHosts;

const importHosts = /* @__PURE__ */ importAgain(() => import('./in_thread_hosts.js'));
const importCache = /* @__PURE__ */ importAgain(() => import('../tools/cache/entry.js'));
const importVad = /* @__PURE__ */ importAgain(() => import('../tools/vad/entry.js'));
const importSpeakers = /* @__PURE__ */ importAgain(() => import('../tools/speakers/entry.js'));
const importScripts = {
  simplified: /* @__PURE__ */ importAgain(() => import('../tools/script/simplified.js')),
  traditional: /* @__PURE__ */ importAgain(() => import('../tools/script/traditional.js')),
};
const importCapture = /* @__PURE__ */ importAgain(() => import('../tools/capture/entry.js'));

/** Whether engines run in this thread, and with what code where it is there already. */
let hosts: Hosts | undefined;

/** From here on engines run in the thread that calls them. */
export function runInThread(own: Hosts): void {
  hosts = own;
}

const hasWorkers = (): boolean => hosts === undefined && typeof Worker !== 'undefined';

const inCallingThread = 'the engine runs in the thread that calls it';

/** Not every browser tells its memory. */
type NavigatorHere = Navigator & { readonly deviceMemory?: number };

const noWorkers = (message: string, cause?: unknown): SusurrusError =>
  new SusurrusError(
    'unsupported_environment',
    message,
    { reason: 'environment', subject: 'Worker' },
    cause,
  );

async function loadHosts(): Promise<Hosts> {
  try {
    return await importHosts();
  } catch (error) {
    throw noWorkers(
      "There are no workers here, and no code may be loaded later. Import from 'susurrus/in-thread' instead, which runs in the " +
        'thread that calls it.',
      error,
    );
  }
}

const compiled = new Map<string, Promise<WebAssembly.Module>>();

/** A page or a worker of it: engines live in workers where there are any, files are fetched. */
function browserPlatform(assets?: Assets): Platform {
  const startModule = <Calls extends CallTable<Calls>, Event>(
    script: ShippedFile,
    files: readonly ShippedFile[],
  ): Link<Calls, Event> => {
    const addresses = addressesOf([script, ...files], assets);
    const { worker, failure } = startWorker(new URL(addresses[script]!));
    worker.postMessage({ type: 'open', addresses } satisfies ToWorker);
    return openWorker(worker, failure);
  };
  /** A module in a worker of its own, or in this thread. */
  const open = <Calls extends CallTable<Calls>, Event>(
    script: ShippedFile,
    files: readonly ShippedFile[],
    inThread: (hosts: Hosts, addresses: FileAddresses) => Link<Calls, Event>,
  ): Link<Calls, Event> => {
    if (hosts) return inThread(hosts, addressesOf(files, assets));
    if (!hasWorkers()) {
      return openLater(loadHosts().then((own) => inThread(own, addressesOf(files, assets))));
    }
    return startModule(script, files);
  };
  const openEngine = (threads: number): EngineLink =>
    threads > 1
      ? open(
          'worker.threads.mjs',
          ['engine.simd-threads.wasm', 'engine.relaxed-threads.wasm'],
          (own, addresses) => own.openEngine(addresses),
        )
      : open('worker.mjs', ['engine.simd.wasm', 'engine.relaxed.wasm'], (own, addresses) =>
          own.openEngine(addresses),
        );
  const openNetworks = (): NetworksLink =>
    open('worker.networks.mjs', ['networks.simd.wasm', 'networks.relaxed.wasm'], (own, addresses) =>
      own.openNetworks(addresses),
    );
  return {
    withAssets: browserPlatform,
    chooseThreads: (wanted = 'auto') =>
      hasWorkers()
        ? chooseThreads(wanted, navigator.hardwareConcurrency || 1, globalThis.crossOriginIsolated)
        : { threads: 1, threadsReason: inCallingThread },
    device: () => {
      const { hardwareConcurrency, deviceMemory } = navigator as NavigatorHere;
      return {
        processors: hardwareConcurrency || 1,
        memoryBytes: deviceMemory && deviceMemory * 2 ** 30,
        whyOne: hasWorkers() ? undefined : inCallingThread,
      };
    },
    openEngine,
    openFurtherEngine: (threads) => {
      if (!hasWorkers())
        throw noWorkers('Engines run in the thread that calls them, one at a time.');
      return openEngine(threads);
    },
    openNetworks,
    openDetector: openNetworks,
    openFiles: () =>
      open('worker.files.mjs', ['files.wasm'], (own, addresses) => own.openFiles(addresses)),
    compileFiles() {
      const { href } = addressOf('files.wasm', assets);
      const files =
        compiled.get(href) ??
        fetchEngine(href).catch((error: unknown) => {
          compiled.delete(href);
          throw error;
        });
      compiled.set(href, files);
      return files;
    },
    openPath: () => Promise.resolve(undefined),
    isFile: () => Promise.resolve(false),
    urlOf: (address) => new URL(address, location.href).href,
    async openStored(request) {
      if (!hasWorkers())
        throw noWorkers('Models are kept, and come by their names, only where there are workers.');
      const { openStored } = await importCache();
      return openStored(
        request,
        (converts) =>
          startModule(
            converts ? 'worker.hub.mjs' : 'worker.cache.mjs',
            converts ? ['files.wasm'] : [],
          ),
        () => browserPlatform(assets).compileFiles(),
      );
    },
    openFolder: () => Promise.resolve(undefined),
    writeFile: refusePath,
    writeFiles: refusePath,
    get embeddedModel() {
      return addressOf('../models/digits.apr', assets);
    },
    get vadModel() {
      return addressOf('../models/vad.tsm', assets);
    },
    get speakersModel() {
      return addressOf('../models/speakers.apr', assets);
    },
    loadSilenceSkipping: importVad,
    loadSpeakerFinding: importSpeakers,
    loadScript: (script) =>
      importScripts[script]().then(
        ({ convert }) => convert,
        (error: unknown) => {
          const problem = 'the dictionaries for the option script could not be loaded';
          throw sourceFailed(`script_${script}.mjs`, problem, {}, error);
        },
      ),
    openAudio: () => open('worker.audio.mjs', [], (own) => own.openAudio()),
    openAudioFile: () => Promise.resolve(undefined),
    decodeWhole: decodeWholeFile,
    undecodedNote: '',
    capture: async (stream, signal) =>
      (await importCapture()).capture(stream, addressOf('capture_worklet.mjs', assets), signal),
  };
}

export const browser = browserPlatform();

function refusePath(destination: string | URL): never {
  throw invalidOption('destination', 'a WritableStream', destination);
}
