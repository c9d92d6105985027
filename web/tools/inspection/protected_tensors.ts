// Tensors of files that are encrypted or have piece digests, whose bytes are decrypted and verified on their way.
import type { Inspection, ModelKey } from '../../src/api/types.js';
import type { SourceFolder } from '../../src/platform/source_folder.js';
import { loadCrypto } from '../../src/sources/load_crypto.js';
import { unwrapOutcome, type Outcome } from '../../src/api/outcome.js';
import type { Platform } from '../../src/platform/platform.js';
import type { TensorSource } from './read_tensor.js';

type OpenedFile = Awaited<ReturnType<typeof openFile>>;

/** Undefined where the file's bytes are the tensors': nothing has to be loaded for them. */
export function protectedTensors(
  platform: Pick<Platform, 'compileFiles'>,
  folder: SourceFolder,
  facts: Inspection,
  key: ModelKey | undefined,
): TensorSource['protection'] {
  if (!mayBeProtected(facts)) return undefined;
  const files = new Map<string, Promise<OpenedFile>>();
  const open = (file: string): Promise<OpenedFile> => {
    let opening = files.get(file);
    if (!opening) {
      opening = openFile(platform, folder, file, key);
      files.set(file, opening);
      // Not cached: the next call tries again.
      opening.catch(() => files.delete(file));
    }
    return opening;
  };
  return {
    async open({ file }, { name, offset }, bytesOf) {
      const opened = await open(file);
      if (!opened) return undefined;
      const { byteCount, next } = unwrapOutcome(
        await opened.tensor(name, offset, (begin, count) => bytesOf.read(file, begin, count)),
      );
      return { byteCount, bytes: chunks(next) };
    },
    async range({ file }, { offset, size }) {
      const own = { begin: offset, end: offset + size };
      return (await open(file))?.range(own) ?? own;
    },
  };
}

/** Whether tensors may have to be verified or decrypted. For a sharded model, only the first file is known here. */
const mayBeProtected = ({ format, flags, metadata, shards }: Inspection): boolean =>
  format === 'APR2' &&
  (flags.includes('ENCRYPTED') ||
    (canVerify() && (shards !== undefined || 'piece_digests' in metadata)));

const canVerify = (): boolean =>
  (globalThis.crypto as globalThis.Crypto | undefined)?.subtle !== undefined;

async function openFile(
  platform: Pick<Platform, 'compileFiles'>,
  folder: SourceFolder,
  file: string,
  key: ModelKey | undefined,
) {
  const byteCount = (await folder.byteCount(file)) ?? 0;
  const { openTensors } = await loadCrypto();
  const read = (offset: number, count: number): AsyncIterable<Uint8Array> =>
    folder.read(file, offset, count);
  return unwrapOutcome(await openTensors(() => platform.compileFiles(), read, byteCount, key));
}

async function* chunks(
  next: () => Promise<Outcome<IteratorResult<Uint8Array, unknown>>>,
): AsyncGenerator<Uint8Array> {
  for (;;) {
    const step = unwrapOutcome(await next());
    if (step.done) return;
    yield step.value;
  }
}
