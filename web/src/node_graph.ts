// susurrus/graph in Node.
import type { GraphModule, ModelSource, OpenModuleOptions } from './api/types.js';
import { openModuleOn } from '../tools/module/open_module.js';
import { node } from './node_platform.js';

export type * from './public_graph.js';

/**
 * Opens a TenniS module, or an ONNX network whose weights are in it, to be run on tensors. Fetches the module that runs graphs. Throws
 * SusurrusError.
 */
export function openModule(
  source: ModelSource,
  options: OpenModuleOptions = {},
): Promise<GraphModule> {
  return openModuleOn(node, source, options);
}
