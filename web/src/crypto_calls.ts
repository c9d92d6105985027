// Encryption, signing, digests and verification of model files; the code is loaded on demand.
import { loadInspection } from '../tools/inspection/load_inspection.js';
import { loadCrypto } from './sources/load_crypto.js';
import { asOutcomes, unwrapOutcome, type Outcome } from './api/outcome.js';
import type { Platform } from './platform/platform.js';
import { anyWork } from './api/overall_progress.js';
import { withProgress, type Watched, type WithProgress } from './api/progress_callback.js';
import type {
  EncryptOptions,
  ModelDestination,
  RereadableSource,
  RewriteOptions,
  RewriteResult,
  SealOptions,
  SignOptions,
  SoundRanges,
  Verification,
  VerifyOptions,
} from './api/types.js';
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
  <Args extends unknown[], Options extends WithProgress, T>(
    pick: (
      crypto: typeof Crypto,
    ) => (tools: CryptoTools, ...args: [...Args, Watched<Options>]) => Promise<Outcome<T>>,
  ) =>
  async (platform: Platform, ...args: [...Args, Options]): Promise<T> =>
    withProgress(anyWork, args.at(-1) as Options, async (options) => {
      const watched = [...args.slice(0, -1), options] as [...Args, Watched<Options>];
      return unwrapOutcome(await pick(await loadCrypto())(toolsOf(platform), ...watched));
    });

type FromAndTo = [source: RereadableSource, destination: ModelDestination];
type From = [source: RereadableSource];

export const encryptModelOn = offered<FromAndTo, EncryptOptions, RewriteResult>(
  (crypto) => crypto.encryptModel,
);
export const signModelOn = offered<FromAndTo, SignOptions, RewriteResult>(
  (crypto) => crypto.signModel,
);
export const addPieceDigestsOn = offered<FromAndTo, RewriteOptions, RewriteResult>(
  (crypto) => crypto.addPieceDigests,
);
export const verifyModelOn = offered<From, VerifyOptions, Verification>(
  (crypto) => crypto.verifyModel,
);
export const soundRangesOn = offered<
  From,
  Pick<SealOptions, 'publicKeys'> & WithProgress,
  SoundRanges
>((crypto) => crypto.soundRanges);
