// The files beside a BW2L model that its beam search needs, on their way into the engine.
import { inFile } from '../api/errors.js';
import type { LoadOptions } from '../api/types.js';
import type { OpenedSource, Platform } from '../platform/platform.js';
import { openSource } from '../sources/open_source.js';
import { pump } from '../sources/pump.js';
import { release } from '../sources/read_source.js';

/** loadModel()'s options that are such files, in the order in which the engine reads them. */
const names = ['lexicon', 'languageModel'] as const;
export type BeamTextName = (typeof names)[number];

/** The files that were given. */
export const givenTexts = (options: LoadOptions): readonly BeamTextName[] =>
  names.filter((name) => options[name] !== undefined);

/** What takes them: one after the other. */
interface TextReader {
  beginText(name: BeamTextName, byteCount: number | undefined): Promise<void>;
  pushText(bytes: Uint8Array, givesAway: boolean): Promise<void>;
  endText(): Promise<void>;
}

/** Reads them into the engine, which has the whole model. */
export async function readBeamTexts(
  reader: TextReader,
  options: LoadOptions,
  platform: Platform,
): Promise<void> {
  for (const name of givenTexts(options)) {
    await readText(
      reader,
      name,
      await openSource(options[name]!, platform, options.signal),
      options,
    );
  }
}

async function readText(
  reader: TextReader,
  name: BeamTextName,
  opened: OpenedSource,
  { signal }: LoadOptions,
): Promise<void> {
  /** The engine's errors say which line; this says of which file. */
  const named = async (work: Promise<unknown>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      throw opened.name === undefined ? error : inFile(opened.name, error);
    }
  };
  try {
    await named(reader.beginText(name, opened.byteCount));
    await pump(opened, (bytes, givesAway) => named(reader.pushText(bytes, givesAway)), {
      phase: 'load',
      signal,
    });
    await named(reader.endText());
  } catch (error) {
    release(opened);
    throw error;
  }
}
