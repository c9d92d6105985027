import { invalidOption, sourceFailed } from '../../src/api/errors.js';
import { throwIfAborted } from '../../src/api/signals.js';
import { openRanges } from '../../src/sources/open_ranges.js';
import { release } from '../../src/sources/read_source.js';
import type { Extractor } from './extract.js';
import { verifyOn } from './inspect_model.js';

/** Writes a network of an .april file, byte for byte. The source is verified first, and read twice. Throws SusurrusError. */
export const writeNetwork: Extractor = async (platform, source, name, options, write) => {
  const { signal } = options;
  const opened = await openRanges(source, platform, signal);
  const { folder } = opened;
  if (folder?.weightsFile === undefined) {
    if (!opened.folder && opened.whole) release(opened.whole);
    throw sourceFailed('source', 'parts of it cannot be read; download it');
  }
  const { networks = [] } = await verifyOn(platform, source, options);
  const network = networks.find((one) => one.name === name);
  if (!network) {
    const names = networks.map((one) => one.name).join(', ');
    throw invalidOption('name', names ? `one of ${names}` : 'of a file with networks', name);
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
  return { network };
};
