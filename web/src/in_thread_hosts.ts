// The modules in the thread of the page itself, for places without workers.
import { openEngineHost } from './engine/fetched_engine.js';
import type { AudioLink } from './protocol/audio.js';
import type { EngineLink } from './protocol/engine.js';
import type { NetworksLink } from './protocol/networks.js';
import { openNetworksHost } from './networks/fetched_networks.js';
import type { FilesLink } from './protocol/files.js';
import type { FileAddresses } from './protocol/link.js';
import { openInProcess } from './worker/in_process.js';
import { openAudioHost } from '../tools/audio/web_host.js';
import { openFilesHost } from '../tools/host/fetched_files.js';

export const openEngine = (addresses: FileAddresses): EngineLink =>
  openInProcess(openEngineHost(addresses));

export const openNetworks = (addresses: FileAddresses): NetworksLink =>
  openInProcess(openNetworksHost(addresses));

export const openFiles = (addresses: FileAddresses): FilesLink =>
  openInProcess(openFilesHost(addresses));

export const openAudio = (): AudioLink => openInProcess(openAudioHost());
