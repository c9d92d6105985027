/**
 * TenniS and ONNX graphs that are run on tensors.
 * @module susurrus/graph
 */
import type { GraphModule, ModelSource, OpenModuleOptions } from './api/types.js';
import { browser } from './browser_platform.js';
import { importAgain } from './platform/import_again.js';

export type * from './public_graph.js';

const loadModule = /* @__PURE__ */ importAgain(() => import('../tools/module/entry.js'));

/**
 * Opens a TenniS module, or an ONNX network whose weights are in it, to be run on tensors. Fetches the module that runs graphs. Throws
 * SusurrusError.
 */
export async function openModule(
  source: ModelSource,
  options: OpenModuleOptions = {},
): Promise<GraphModule> {
  return (await loadModule()).openModuleOn(browser, source, options);
}
