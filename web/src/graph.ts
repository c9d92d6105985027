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
 * Opens a TenniS module, or an ONNX network whose weights are in the file, for inference on tensors. Downloads the package's module for graphs. Call `dispose()` on
 * the result when you no longer need it.
 *
 * @throws SusurrusError `invalid_argument` for a wrong option; `unsupported_operator` for a network that does not run, naming the operator and the node; otherwise as
 *   loadModel(). An abort rejects with the signal's reason.
 * @example
 * ```js
 * const module = await openModule(file);
 * const { nodes } = await module.describe();
 * console.log(nodes.length);
 * module.dispose();
 * ```
 */
export async function openModule(
  source: ModelSource,
  options: OpenModuleOptions = {},
): Promise<GraphModule> {
  return (await loadModule()).openModuleOn(browser, source, options);
}
