// Models of the hub in a page's worker.
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { HubOptions } from '../../src/api/types.js';
import type { PhaseProgress } from '../../src/api/overall_progress.js';
import { fetchEngine } from '../../src/platform/browser_module.js';
import { YieldController } from '../../src/wasm/yield_controller.js';
import { convertSource } from '../convert/convert_source.js';
import { openFilesModule } from '../files/module.js';
import { withHubFolder } from './folder.js';
import type { DownloadPlace } from './partial_download.js';
import type { Repository } from './repository.js';
import {
  digestCheck,
  type DigestCheck,
  type Hashing,
  type HubFile,
  type RepositoryFiles,
} from './repository_files.js';

export { openRepository } from './open_repository.js';
export { readyModel } from './repository_files.js';

export interface Conversion {
  readonly repository: Repository;
  readonly files: RepositoryFiles;
  /** URL of files.wasm. */
  readonly filesAddress: string;
  readonly dtype: NonNullable<HubOptions['dtype']>;
  readonly take: DownloadPlace['take'];
  /** The bytes are the callee's. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly onProgress: (event: PhaseProgress) => void;
  /** When everything is written and all digests are right; the downloads are removed after it. */
  readonly onEnd: () => Promise<void>;
}

/** Converts while the files arrive. Resolves once their digests are checked. To stop it, end the worker. */
export async function convertRepository({
  repository,
  files,
  filesAddress,
  dtype,
  take,
  write,
  onProgress,
  onEnd,
}: Conversion): Promise<void> {
  const module = await openFilesModule(await fetchEngine(filesAddress));
  await withHubFolder(
    repository,
    files,
    { downloads: { take, newHash }, onProgress, signal: undefined },
    async (folder, signal) => {
      // The bytes that come are the module's, which goes on with them.
      const create = () =>
        Promise.resolve((bytes: Uint8Array): Promise<void> => write(bytes.slice()));
      await convertSource(
        module,
        folder,
        { create, name: 'stream' },
        // Trained weights hardly shrink, and without compression one pass is enough: while the weights arrive.
        { dtype, compress: 'none', onProgress },
        new YieldController(signal),
      );
      await folder.arrived();
      await onEnd();
    },
  );
}

/** For a file that is not converted. */
export const checkOf = (file: HubFile): DigestCheck | undefined => digestCheck(file, newHash);

/** Browsers can digest only complete buffers. */
function newHash(kind: 'sha256' | 'sha1'): Hashing {
  const hash = kind === 'sha256' ? sha256.create() : sha1.create();
  return { update: (bytes) => hash.update(bytes), hex: () => bytesToHex(hash.digest()) };
}
