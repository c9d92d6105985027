import { fetchEngine } from '../platform/browser_module.js';
import type { FileAddresses } from '../protocol/link.js';
import { instantiate } from '../wasm/emscripten_module.js';
import createNetworks from './networks.mjs';
import { NetworksHost } from './networks_host.js';

/** Networks in a browser, in whichever thread they live. */
export const openNetworksHost = (addresses: FileAddresses): NetworksHost =>
  new NetworksHost(async (variant) =>
    instantiate(createNetworks, await fetchEngine(addresses[`networks.${variant}.wasm`]!)),
  );
