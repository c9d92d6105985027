// One thing out of a model file, as a file of its own.
import type {
  ExtractedPart,
  ExtractOptions,
  ExtractResult,
  ModelDestination,
  ModelSource,
} from '../../src/api/types.js';
import { invalidOption } from '../../src/api/errors.js';
import { checkOptions, flag, progressCheck, signalCheck } from '../../src/api/options.js';
import { anyWork } from '../../src/api/overall_progress.js';
import { withProgress, type Watched } from '../../src/api/progress_callback.js';
import type { Platform } from '../../src/platform/platform.js';
import { writeStream } from '../../src/platform/write_stream.js';
import { writeNetwork } from './extract_network.js';
import { writePart, writeSection } from './extract_part.js';
import { writeTensor } from './extract_tensor.js';

/** Writes one thing of a file, which has a name unless there is one of it. The options are checked. */
export type Extractor<Name = string> = (
  platform: Platform,
  source: ModelSource,
  name: Name,
  options: Omit<Watched<ExtractOptions>, 'force'>,
  write: (bytes: Uint8Array) => Promise<void>,
) => Promise<Omit<ExtractResult, 'byteCount'>>;

type Extract = (
  platform: Platform,
  source: ModelSource,
  options: Omit<Watched<ExtractOptions>, 'force'>,
  write: (bytes: Uint8Array) => Promise<void>,
) => ReturnType<Extractor>;

const named: Readonly<Record<string, Extractor>> = {
  section: writeSection,
  network: writeNetwork,
  tensor: writeTensor,
};

/** Writes one thing; a destination that is a stream is aborted on failure. Throws SusurrusError. */
export async function extractOn(
  platform: Platform,
  source: ModelSource,
  what: ExtractedPart,
  destination: ModelDestination,
  options: ExtractOptions,
): Promise<ExtractResult> {
  checkOptions(options, { force: flag, onProgress: progressCheck, signal: signalCheck });
  const extract = extractorOf(what);
  return withProgress(anyWork, options, ({ force = false, ...reading }) => {
    const fill = async (write: (bytes: Uint8Array) => Promise<void>): Promise<ExtractResult> => {
      let byteCount = 0;
      const facts = await extract(platform, source, reading, async (bytes) => {
        await write(bytes);
        byteCount += bytes.length;
      });
      return { byteCount, ...facts };
    };
    return destination instanceof WritableStream
      ? writeStream(destination, fill, options.signal)
      : platform.writeFile(destination, force, fill);
  });
}

/** The function for it, with its name. */
function extractorOf(what: ExtractedPart): Extract {
  if (what === 'vocabulary' || what === 'tokens' || what === 'filterbank') {
    return (platform, source, ...rest) => writePart(platform, source, what, ...rest);
  }
  const [, kind = '', name = ''] = /^(\w+):(.*)$/s.exec(typeof what === 'string' ? what : '') ?? [];
  const extract = Object.hasOwn(named, kind) ? named[kind] : undefined;
  if (extract === undefined) {
    throw invalidOption(
      'what',
      "'vocabulary', 'tokens', 'filterbank', 'section:NAME', 'network:NAME' or 'tensor:NAME'",
      what,
    );
  }
  return (platform, source, ...rest) => extract(platform, source, name, ...rest);
}
