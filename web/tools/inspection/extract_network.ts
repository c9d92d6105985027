import type {
  ExtractOptions,
  InspectedNetwork,
  ModelDestination,
  RereadableSource,
} from '../../src/api/types.js';
import { invalidOption, sourceFailed } from '../../src/api/errors.js';
import { checkOptions, flag, progressCheck, signalCheck } from '../../src/api/options.js';
import type { Platform } from '../../src/platform/platform.js';
import { withProgress } from '../../src/api/progress_callback.js';
import { throwIfAborted } from '../../src/api/signals.js';
import { openRanges } from '../../src/sources/open_ranges.js';
import { writeStream } from '../../src/platform/write_stream.js';
import { verifyOn } from './inspect_model.js';

/** Copies a network of an .april file byte for byte. The source is verified first, and read twice. Throws SusurrusError. */
export async function extractNetworkOn(
  platform: Platform,
  source: RereadableSource,
  name: string,
  destination: ModelDestination,
  options: ExtractOptions,
): Promise<InspectedNetwork> {
  checkOptions(options, { force: flag, onProgress: progressCheck, signal: signalCheck });
  return withProgress(options, (watched) =>
    copyNetwork(platform, source, name, destination, watched),
  );
}

function copyNetwork(
  platform: Platform,
  source: RereadableSource,
  name: string,
  destination: ModelDestination,
  options: ExtractOptions,
): Promise<InspectedNetwork> {
  const { force = false, signal, ...reading } = options;
  const fill = async (write: (bytes: Uint8Array) => Promise<void>): Promise<InspectedNetwork> => {
    const { networks = [] } = await verifyOn(platform, source, {
      ...reading,
      ...(signal && { signal }),
    });
    const network = networks.find((one) => one.name === name);
    if (!network) {
      const names = networks.map((one) => one.name).join(', ');
      throw invalidOption('name', names ? `one of ${names}` : 'of a file with networks', name);
    }
    const { folder } = await openRanges(source, platform, signal);
    if (folder?.weightsFile === undefined) {
      throw sourceFailed('source', 'parts of it cannot be read; download it');
    }
    let copied = 0;
    for await (const piece of folder.read(folder.weightsFile, network.offset, network.size)) {
      throwIfAborted(signal);
      await write(piece);
      copied += piece.length;
    }
    if (copied < network.size) {
      throw sourceFailed(folder.weightsFile, 'it became shorter while it was read');
    }
    return network;
  };
  return destination instanceof WritableStream
    ? writeStream(destination, fill)
    : platform.writeFile(destination, force, fill);
}
