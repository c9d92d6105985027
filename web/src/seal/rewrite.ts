// A sound APR2 file written anew: other metadata and flags, tensors in the same order, each stored as it was or encrypted.
import { SusurrusError, sourceFailed } from '../errors.js';
import { beforeFooter, makeFooter, wrongChecksum, zeros } from './apr2_footer.js';
import {
  fieldOffsets,
  flagBits,
  footerBytes,
  headerBytes,
  readApr2Front,
  type Apr2Front,
} from './apr2_front.js';
import type { IndexEntry } from './apr2_index.js';
import { ByteQueue } from './byte_queue.js';
import { RunningCrc32 } from './crc32.js';
import { withMembers } from './json_members.js';

const alignment = 64;
const stretchBytes = 1 << 20;
const aligned = (offset: number): number => Math.ceil(offset / alignment) * alignment;

/** What the package does around a rewrite: its source, its sink, and who watches. */
export interface RewriteJob {
  /** The file from its beginning, again at each call. */
  readonly open: () => Promise<AsyncIterable<Uint8Array>>;
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Called between two bounded steps; throws to stop. `loaded`: bytes read in this pass. */
  readonly onStep: (loaded: number) => Promise<void> | void;
}

/** One reading of the source, whose checksum is verified when all is read. */
export class SourcePass {
  readonly front: Apr2Front;
  readonly #queue: ByteQueue;
  readonly #crc = new RunningCrc32();
  readonly #onStep: RewriteJob['onStep'];

  private constructor(front: Apr2Front, queue: ByteQueue, onStep: RewriteJob['onStep']) {
    this.front = front;
    this.#queue = queue;
    this.#onStep = onStep;
  }

  static async open({ open, onStep }: RewriteJob): Promise<SourcePass> {
    const queue = new ByteQueue(await open());
    const front = await readApr2Front(queue).catch((error: unknown) => {
      queue.close();
      throw error;
    });
    if (!front) {
      queue.close();
      throw new SusurrusError('unsupported_feature', 'Only APR2 files can be sealed.', {
        reason: 'unsupported',
        subject: 'source',
        expected: 'APR2',
      });
    }
    return new SourcePass(front, queue, onStep);
  }

  /** Stored bytes of a tensor, in pieces of exactly `pieceBytes` but for the last. Tensors are asked for in file order. */
  async *tensor(
    entry: IndexEntry,
    pieceBytes = stretchBytes,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const queue = this.#queue;
    const begin = this.front.header.dataOffset + entry.offset;
    while (queue.position < begin) {
      this.#crc.update(await this.#taken(Math.min(begin - queue.position, stretchBytes)));
    }
    const end = begin + entry.size;
    while (queue.position < end) {
      const bytes = await this.#taken(Math.min(end - queue.position, pieceBytes));
      this.#crc.update(bytes);
      yield bytes;
      await this.#onStep(queue.position);
    }
  }

  /** Reads what is left; throws where the file is no longer what it was. */
  async finish(): Promise<void> {
    const rest = beforeFooter(this.#queue);
    let step = await rest.next();
    for (; !step.done; step = await rest.next()) this.#crc.update(step.value);
    if (!step.value) throw changed();
    if (step.value.crc !== this.#crc.value) {
      throw wrongChecksum(this.#queue.position, step.value, this.#crc);
    }
  }

  close(): void {
    this.#queue.close();
  }

  async #taken(byteCount: number): Promise<Uint8Array<ArrayBuffer>> {
    const ahead = await this.#queue.peek(byteCount);
    if (ahead.length < byteCount) throw changed();
    return this.#queue.take(byteCount);
  }
}

const changed = (): SusurrusError => sourceFailed('source', 'it became shorter while it was read');

/** Works on one pass over the source, and leaves nothing open. */
export async function withPass<T>(
  job: RewriteJob,
  work: (pass: SourcePass) => Promise<T>,
): Promise<T> {
  const pass = await SourcePass.open(job);
  try {
    return await work(pass);
  } finally {
    pass.close();
  }
}

export interface PlacedTensor {
  readonly entry: IndexEntry;
  /** From the data's beginning, in the new file. */
  readonly offset: number;
  readonly storedBytes: number;
}

/** In the order of their data, the first at `firstOffset`. */
export function placeTensors(
  { index }: Apr2Front,
  firstOffset: number,
  storedBytes: (entry: IndexEntry) => number,
): readonly PlacedTensor[] {
  const inOrder = [...index.entries].sort((a, b) => a.offset - b.offset || a.size - b.size);
  let next = firstOffset;
  return inOrder.map((entry) => {
    const offset = aligned(next);
    next = offset + storedBytes(entry);
    return { entry, offset, storedBytes: storedBytes(entry) };
  });
}

/** The new file's data from `begin` on, with the padding between tensors. */
export async function* dataFrom(
  begin: number,
  tensors: readonly PlacedTensor[],
  bytesOf: (tensor: PlacedTensor) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let position = begin;
  for (const tensor of tensors) {
    yield* zeros(tensor.offset - position);
    yield* bytesOf(tensor);
    position = tensor.offset + tensor.storedBytes;
  }
}

export interface NewFront {
  readonly header: Uint8Array<ArrayBuffer>;
  readonly metadata: Uint8Array<ArrayBuffer>;
  readonly index: Uint8Array<ArrayBuffer>;
  readonly dataOffset: number;
}

export function newFront(
  front: Apr2Front,
  tensors: readonly PlacedTensor[],
  flags: { readonly set: number; readonly clear: number },
  members: Readonly<Record<string, unknown>>,
): NewFront {
  const text = new TextDecoder().decode(front.metadataBytes);
  const metadata = new TextEncoder().encode(withMembers(text, members));
  const index = front.indexBytes.slice();
  const indexView = new DataView(index.buffer);
  for (const { entry, offset, storedBytes } of tensors) {
    indexView.setBigUint64(entry.offsetAt, BigInt(offset), true);
    indexView.setBigUint64(entry.sizeAt, BigInt(storedBytes), true);
  }
  const header = front.headerBytes.slice();
  const view = new DataView(header.buffer);
  const indexOffset = headerBytes + metadata.length;
  const dataOffset = aligned(indexOffset + index.length);
  const cleared = front.header.flags & ~flags.clear & ~flagBits.aligned32;
  view.setUint32(fieldOffsets.flags, cleared | flags.set | flagBits.aligned64, true);
  view.setUint32(fieldOffsets.metadataOffset, headerBytes, true);
  view.setUint32(fieldOffsets.metadataSize, metadata.length, true);
  view.setUint32(fieldOffsets.indexOffset, indexOffset, true);
  view.setUint32(fieldOffsets.dataOffset, dataOffset, true);
  return { header, metadata, index, dataOffset };
}

/** Writes front, signature, data and footer; answers how many bytes it were. */
export async function writeFile(
  { header, metadata, index, dataOffset }: NewFront,
  signature: Uint8Array,
  data: AsyncIterable<Uint8Array>,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<number> {
  const crc = new RunningCrc32();
  let byteCount = 0;
  const emit = async (bytes: Uint8Array): Promise<void> => {
    crc.update(bytes);
    byteCount += bytes.length;
    await write(bytes);
  };
  for (const section of [header, metadata, index]) await emit(section);
  for (const padding of zeros(dataOffset - byteCount)) await emit(padding);
  if (signature.length > 0) await emit(signature);
  for await (const bytes of data) await emit(bytes);
  await write(makeFooter(crc.value, byteCount + footerBytes));
  return byteCount + footerBytes;
}
