// The modules in the thread of the page itself, for places without workers.
import { EngineHost } from './engine/host.js';
import { openSingleThread } from './engine/single_thread.js';
import { fetchEngine } from './platform/browser_module.js';
import type { AudioLink } from './protocol/audio.js';
import type { EngineLink } from './protocol/engine.js';
import type { FilesLink } from './protocol/files.js';
import type { FileAddresses } from './protocol/link.js';
import { openInProcess } from './worker/in_process.js';
import { openFilesModule } from '../tools/files/module.js';
import { openAudioHost } from '../tools/audio/web_host.js';
import { FilesHost } from '../tools/host/host.js';

export const openEngine = (addresses: FileAddresses): EngineLink =>
  openInProcess(
    new EngineHost(async (variant, _threads, compiled) =>
      openSingleThread(compiled ?? (await fetchEngine(addresses[`engine.${variant}.wasm`]!))),
    ),
  );

export const openFiles = (addresses: FileAddresses): FilesLink =>
  openInProcess(
    new FilesHost(async () => openFilesModule(await fetchEngine(addresses['files.wasm']!))),
  );

export const openAudio = (): AudioLink => openInProcess(openAudioHost());
