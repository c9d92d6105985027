import type { Variant } from '../api/types.js';
import { compileModule } from '../platform/node_wasm.js';
import { instantiate } from '../wasm/emscripten_module.js';
import createNetworks from './networks.mjs';
import type { NetworksModule } from './networks_host.js';

/** Networks in this thread. */
export const openNetworks = async (variant: Variant): Promise<NetworksModule> =>
  instantiate(createNetworks, await compileModule(`networks.${variant}`));
