// susurrus/graph in Node.
import type { GraphModule, ModelSource, OpenModuleOptions } from './api/types.js';
import { openModuleOn } from '../tools/module/open_module.js';
import { node } from './node_platform.js';

export type * from './public_graph.js';

/**
 * Opens a TenniS module, or an ONNX network whose weights are in the file, for inference on tensors. Downloads the package's module for graphs. Call `dispose()` on
 * the result when you no longer need it.
 *
 * @throws SusurrusError `invalid_argument` for a wrong option; `unsupported_operator` for a network that does not run, naming the operator and the node; otherwise as
 *   loadModel(). An abort rejects with the signal's reason.
 * @example
 * ```js
 * const module = await openModule('network.onnx');
 * const { nodes } = await module.describe();
 * console.log(nodes.length);
 * module.dispose();
 * ```
 */
export function openModule(
  source: ModelSource,
  options: OpenModuleOptions = {},
): Promise<GraphModule> {
  return openModuleOn(node, source, options);
}
