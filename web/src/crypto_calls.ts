// Encryption, signing, digests and verification of model files; the code is loaded on demand.
import { loadInspection } from '../tools/inspection/load_inspection.js';
import { loadCrypto } from './sources/load_crypto.js';
import { asOutcomes, unwrapOutcome, type Outcome } from './api/outcome.js';
import type { Platform } from './platform/platform.js';
import { withProgress, type WithProgress } from './api/progress_callback.js';
import type { CryptoTools } from '../tools/crypto/crypto_tools.js';
import type * as Crypto from '../tools/crypto/entry.js';
import { openSource } from './sources/open_source.js';

const toolsOf = (platform: Platform): CryptoTools => ({
  compileFiles: () => platform.compileFiles(),
  openSource: (source, signal) => openSource(source, platform, signal),
  inspect: asOutcomes(async (source, options, protection) =>
    (await loadInspection()).verifyOn(platform, source, options, protection),
  ),
  writeFiles: (destination, force, fill) => platform.writeFiles(destination, force, fill),
});

/** A function of that code, with options as its last argument, as the package exports it. */
const offered =
  <Args extends unknown[], T>(
    pick: (crypto: typeof Crypto) => (tools: CryptoTools, ...args: Args) => Promise<Outcome<T>>,
  ) =>
  async (platform: Platform, ...args: Args): Promise<T> =>
    withProgress(args.at(-1) as WithProgress, async (options) => {
      const watched = [...args.slice(0, -1), options] as Args;
      return unwrapOutcome(await pick(await loadCrypto())(toolsOf(platform), ...watched));
    });

export const encryptModelOn = offered((crypto) => crypto.encryptModel);
export const signModelOn = offered((crypto) => crypto.signModel);
export const addPieceDigestsOn = offered((crypto) => crypto.addPieceDigests);
export const verifyModelOn = offered((crypto) => crypto.verifyModel);
export const soundRangesOn = offered((crypto) => crypto.soundRanges);
