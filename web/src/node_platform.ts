import { stat } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { EngineHost } from './engine/engine_host.js';
import { invalidOption, sourceFailed } from './api/errors.js';
import { FilesHost } from '../tools/host/files_host.js';
import { chooseThreads } from './platform/threads.js';
import { openInProcess } from './worker/in_process.js';
import { openNodeWorker } from './worker/node_worker.js';
import { openNodeFile } from './platform/node_audio_file.js';
import { NetworksHost } from './networks/networks_host.js';
import { openNetworks } from './networks/node_networks.js';
import { lazyHost } from './worker/lazy_host.js';
import { compileFiles, openFiles } from '../tools/files/node_module.js';
import { openEngine } from './engine/node_engine.js';
import { openUrlModel } from '../tools/cache/node_store.js';
import { openNamedModel } from '../tools/hub/node_stored_model.js';
import { fileChunks } from './platform/node_file_chunks.js';
import { asPath, openFolder, writeFiles, writeWhole } from './platform/node_files.js';
import type { OpenedSource, Platform } from './platform/platform.js';
import type { StoredModel, StoredRequest } from './platform/stored_model.js';
import { isFileTemplate } from '../tools/hub/repository.js';

/** Node: engines run in this thread and yield, paths are read, other URLs are fetched. */
export const node: Platform = {
  withAssets: () => node,
  // A library should not take all of a program's processors unasked.
  chooseThreads: (wanted = 1) => chooseThreads(wanted, availableParallelism(), true),
  device: () => ({
    processors: availableParallelism(),
    memoryBytes: memoryBytes(),
    whyOne: mayHaveWorkers() ? undefined : 'this program has no permission for workers',
  }),
  openEngine: () => openInProcess(new EngineHost(openEngine)),
  openFurtherEngine: () => openNodeWorker('engine'),
  openNetworks: () => openInProcess(new NetworksHost(openNetworks)),
  openDetector: () =>
    mayHaveWorkers() ? openNodeWorker('networks') : openInProcess(new NetworksHost(openNetworks)),
  openFiles: () => openInProcess(new FilesHost(openFiles)),
  compileFiles,
  openPath,
  isFile: async (path) => (await stat(path).catch(() => undefined))?.isFile() ?? false,
  urlOf: (address) => (toPath(address) === undefined ? String(address) : undefined),
  openStored,
  async openFolder(address) {
    const path = toPath(address);
    if (path === undefined) return undefined;
    const facts = await stat(path).catch(() => undefined);
    return facts && !facts.isFile() && !facts.isDirectory() ? null : openFolder(path);
  },
  writeFile: writeWhole,
  writeFiles,
  get embeddedModel() {
    return new URL('../models/digits.apr', import.meta.url);
  },
  get vadModel() {
    return new URL('../models/vad.tsm', import.meta.url);
  },
  get speakersModel() {
    return new URL('../models/speakers.apr', import.meta.url);
  },
  loadSilenceSkipping: () => import('../tools/vad/entry.js'),
  loadSpeakerFinding: () => import('../tools/speakers/entry.js'),
  loadScript: async (script) =>
    (
      await (script === 'simplified'
        ? import('../tools/script/simplified.js')
        : import('../tools/script/traditional.js'))
    ).convert,
  openAudio: () =>
    openInProcess(
      lazyHost(async () => (await import('../tools/audio/node_entry.js')).openAudioHost()),
    ),
  async openAudioFile(address) {
    const path = toPath(address);
    return path === undefined ? undefined : openNodeFile(path);
  },
  undecodedNote:
    'Node decodes MP3, FLAC, Ogg Vorbis, Ogg Opus, Opus in WebM and MP4, WAV and AIFF. For AAC (M4A, MP4, MOV) convert the file ' +
    'first, as with "ffmpeg -i in.m4a out.flac", transcribe it in a page, or install WebCodecs (AudioDecoder).',
  capture: () => {
    throw invalidOption('audio', 'something that Node has', 'a MediaStream');
  },
};

/** Engines run in workers of their own, where there may be any, so that many recordings at once do not wait for one thread. */
export const nodeInWorkers: Platform = {
  ...node,
  openEngine: (threads) => (mayHaveWorkers() ? openNodeWorker('engine') : node.openEngine(threads)),
  openNetworks: () => (mayHaveWorkers() ? openNodeWorker('networks') : node.openNetworks()),
};

/** A container's limit, where there is one; not every runtime tells it. Undefined in Deno without a permission. */
function memoryBytes(): number | undefined {
  const { constrainedMemory } = process as { constrainedMemory?: () => number };
  try {
    return Math.min(totalmem(), constrainedMemory?.() || Infinity);
  } catch {
    return undefined;
  }
}

/** Node with --permission has none unless --allow-worker is there. */
const mayHaveWorkers = (): boolean =>
  (process as { permission?: { has(scope: string): boolean } }).permission?.has('worker') !== false;

/** Models by URL are cached by their URL; converted models are in the folder of `susurrus pull`. */
async function openStored(request: StoredRequest): Promise<StoredModel> {
  const { model, hub } = request;
  return 'name' in model && !isFileTemplate(hub)
    ? openNamedModel(model.name, request, openFile)
    : openUrlModel(request, openFile, compileFiles);
}

/** A path or a file: URL; everything else with a scheme is for fetch. */
function toPath(path: string | URL): string | undefined {
  const text = String(path);
  if (text.startsWith('file:')) return asPath(text);
  return path instanceof URL || /^[a-z][a-z0-9+.-]+:/i.test(text) ? undefined : text;
}

async function openPath(address: string | URL): Promise<OpenedSource | undefined> {
  const path = toPath(address);
  return path === undefined ? undefined : openFile(path);
}

async function openFile(path: string): Promise<OpenedSource> {
  let facts;
  try {
    facts = await stat(path);
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw sourceFailed(path, isAbsent ? 'there is no such file' : String(error), {}, error);
  }
  if (facts.isDirectory()) {
    throw sourceFailed(
      path,
      'this is a folder; a folder of the Hugging Face hub is converted first',
    );
  }
  return {
    ...fileChunks(path),
    name: path,
    sibling: (name) => openFile(join(dirname(path), name)),
    // A pipe has no length of its own.
    ...(facts.isFile() && { byteCount: facts.size }),
  };
}
