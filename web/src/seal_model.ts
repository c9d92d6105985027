// Model files encrypted, signed, given digests, and verified, by code that is loaded for it.
import { loadInspection } from './inspection/load_inspection.js';
import type { Platform } from './platform/platform.js';
import type * as Seal from './seal/entry.js';
import { withProgress, type WithProgress } from './progress_callback.js';
import { asOutcomes, loadSeal, unwrapOutcome, type Outcome } from './seal/load_seal.js';
import type { SealTools } from './seal/seal_tools.js';
import { openSource } from './sources/open_source.js';

const toolsOf = (platform: Platform): SealTools => ({
  openSource: (source, signal) => openSource(source, platform, signal),
  inspect: asOutcomes(async (source, options, seals) =>
    (await loadInspection()).verifyOn(platform, source, options, seals),
  ),
  writeFile: (destination, force, fill) => platform.writeFile(destination, force, fill),
});

/** A function of that code, whose last argument are options, as the entries offer it. */
const offered =
  <Args extends unknown[], T>(
    pick: (seal: typeof Seal) => (tools: SealTools, ...args: Args) => Promise<Outcome<T>>,
  ) =>
  async (platform: Platform, ...args: Args): Promise<T> =>
    withProgress(args.at(-1) as WithProgress, async (options) => {
      const watched = [...args.slice(0, -1), options] as Args;
      return unwrapOutcome(await pick(await loadSeal())(toolsOf(platform), ...watched));
    });

export const encryptModelOn = offered((seal) => seal.encryptModel);
export const signModelOn = offered((seal) => seal.signModel);
export const addPieceDigestsOn = offered((seal) => seal.addPieceDigests);
export const verifyModelOn = offered((seal) => seal.verifyModel);
export const soundRangesOn = offered((seal) => seal.soundRanges);
