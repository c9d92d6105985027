import type { ExtractOptions, InspectedNetwork } from '../api_types.js';
import { invalidOption, sourceFailed } from '../errors.js';
import { throwIfAborted } from '../signals.js';
import { verifyOn } from '../inspection/inspect_model.js';
import { checkOptions, flag, progressCheck, signalCheck } from '../options.js';
import { node } from '../platform/node.js';
import { baseName, folderOf, writeWhole } from '../platform/node_files.js';
import { withProgress } from '../progress_callback.js';

/**
 * Writes a network of an .april file, an ONNX model, into a file of its own, byte for byte. The source is read twice and verified
 * first. The destination appears when it is whole, and replaces another only with `force`. Throws SusurrusError.
 */
export async function extractNetwork(
  source: string | URL,
  name: string,
  destination: string | URL,
  options: ExtractOptions = {},
): Promise<InspectedNetwork> {
  checkOptions(options, { force: flag, onProgress: progressCheck, signal: signalCheck });
  return withProgress(options, (watched) => writeNetwork(source, name, destination, watched));
}

async function writeNetwork(
  source: string | URL,
  name: string,
  destination: string | URL,
  options: ExtractOptions,
): Promise<InspectedNetwork> {
  const { force = false, signal, ...reading } = options;
  if (!(await node.openPath(source))) {
    throw sourceFailed(String(source), 'only of files networks are extracted; download it');
  }
  return writeWhole(destination, force, async (write) => {
    const { networks = [] } = await verifyOn(node, source, {
      ...reading,
      ...(signal && { signal }),
    });
    const network = networks.find((one) => one.name === name);
    if (!network) {
      const names = networks.map((one) => one.name).join(', ');
      throw invalidOption('name', names ? `one of ${names}` : 'of a file with networks', name);
    }
    let copied = 0;
    for await (const piece of folderOf(source).read(
      baseName(source),
      network.offset,
      network.size,
    )) {
      throwIfAborted(signal);
      await write(piece);
      copied += piece.length;
    }
    if (copied < network.size) {
      throw sourceFailed(String(source), 'it became shorter while it was read');
    }
    return network;
  });
}
