import { invalidOption, sourceFailed } from './api/errors.js';
import { chooseThreads } from './platform/threads.js';
import { openWorker } from './worker/client.js';
import { fetchEngine } from './platform/browser_module.js';
import { copyInSteps } from './wasm/steps.js';
import { YieldController } from './wasm/yield_controller.js';
import type { DecodedAudio, Platform } from './platform/platform.js';

let files: Promise<WebAssembly.Module> | undefined;

/** A page or a worker of it: engines live in workers, files are fetched. */
export const browser: Platform = {
  chooseThreads: (wanted = 'auto') =>
    chooseThreads(wanted, navigator.hardwareConcurrency, globalThis.crossOriginIsolated),
  openEngine: (threads) =>
    openWorker(
      threads > 1
        ? new Worker(new URL('./worker.threads.mjs', import.meta.url), { type: 'module' })
        : new Worker(new URL('./worker.mjs', import.meta.url), { type: 'module' }),
    ),
  openFiles: () =>
    openWorker(new Worker(new URL('./worker.files.mjs', import.meta.url), { type: 'module' })),
  compileFiles() {
    files ??= fetchEngine(new URL('./files.wasm', import.meta.url)).catch((error: unknown) => {
      files = undefined;
      throw error;
    });
    return files;
  },
  openPath: () => Promise.resolve(undefined),
  isFile: () => Promise.resolve(false),
  urlOf: (address) => new URL(address, location.href).href,
  openStored: async (request) => (await import('../tools/cache/entry.js')).openStored(request),
  openFolder: () => Promise.resolve(undefined),
  writeFile: refusePath,
  writeFiles: refusePath,
  get embeddedModel() {
    return new URL('../models/digits.apr', import.meta.url);
  },
  decodeAudio,
};

function refusePath(destination: string | URL): never {
  throw invalidOption('destination', 'a WritableStream', destination);
}

/** The browser's own decoders, at the rate of the first context that they accept. */
async function decodeAudio(
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<DecodedAudio> {
  if (typeof OfflineAudioContext === 'undefined') {
    throw sourceFailed('audio', 'this browser cannot decode audio files here; give WAV or samples');
  }
  // The context's rate is that of the result; 48 kHz keeps what speech has.
  const context = new OfflineAudioContext(1, 1, 48000);
  // decodeAudioData() takes the bytes away.
  const encoded = await copyInSteps(bytes, new YieldController(signal));
  try {
    const buffer = await context.decodeAudioData(encoded.buffer);
    const channels = Array.from({ length: buffer.numberOfChannels }, (_, i) =>
      buffer.getChannelData(i),
    );
    return { channels, sampleRate: buffer.sampleRate };
  } catch (error) {
    throw sourceFailed('audio', 'this is no audio file that the browser can decode', {}, error);
  }
}
