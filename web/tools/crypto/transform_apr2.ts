// Rewrites a valid APR2 file with other metadata and flags: tensors in the same order, each stored unchanged or encrypted.
import { SusurrusError, sourceFailed } from '../../src/api/errors.js';
import {
  footerBytes,
  type Apr2Core,
  type Apr2Front,
  type Apr2Header,
  type Apr2Tensor,
  type RunningCrc32,
} from './apr2_core.js';
import { beforeFooter, wrongChecksum, zeros } from './footer.js';
import { ByteQueue } from '../../src/platform/byte_queue.js';
import { withMembers } from './json_members.js';
import type { YieldController } from '../../src/wasm/yield_controller.js';

const alignment = 64;
const stretchBytes = 1 << 20;
const aligned = (offset: number): number => Math.ceil(offset / alignment) * alignment;

/** What the package provides for a transformation: its source, its sink, and a progress callback. */
export interface TransformJob {
  readonly core: Apr2Core;
  /** The file from its beginning, again at each call. */
  readonly open: () => Promise<AsyncIterable<Uint8Array>>;
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Called between two bounded steps; throws to stop. `loaded`: bytes read in this pass. */
  readonly onStep: (loaded: number) => Promise<void>;
  readonly yielder: YieldController;
}

/** One reading of the source, whose checksum is verified when all is read. */
export class SourcePass {
  readonly front: Apr2Front;
  readonly #queue: ByteQueue;
  readonly #crc: RunningCrc32;
  readonly #onStep: TransformJob['onStep'];

  private constructor(front: Apr2Front, queue: ByteQueue, onStep: TransformJob['onStep']) {
    this.front = front;
    this.#crc = front.core.crc32();
    this.#queue = queue;
    this.#onStep = onStep;
  }

  static async open({ core, open, onStep }: TransformJob): Promise<SourcePass> {
    const queue = new ByteQueue(await open());
    const front = await core.readFront(queue).catch((error: unknown) => {
      queue.close();
      throw error;
    });
    if (!front) {
      queue.close();
      throw new SusurrusError(
        'unsupported_feature',
        'Only APR2 files can be encrypted or signed.',
        {
          reason: 'unsupported',
          subject: 'source',
          expected: 'APR2',
        },
      );
    }
    return new SourcePass(front, queue, onStep);
  }

  /** Stored bytes of a tensor, in pieces of exactly `pieceBytes` but for the last. Tensors are asked for in file order. */
  async *tensor(
    entry: Apr2Tensor,
    pieceBytes = stretchBytes,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const queue = this.#queue;
    const begin = this.front.header.dataOffset + entry.offset;
    while (queue.position < begin) {
      this.#crc.update(await this.#taken(Math.min(begin - queue.position, stretchBytes)));
      await this.#onStep(queue.position);
    }
    const end = begin + entry.size;
    while (queue.position < end) {
      const bytes = await this.#taken(Math.min(end - queue.position, pieceBytes));
      this.#crc.update(bytes);
      yield bytes;
      await this.#onStep(queue.position);
    }
  }

  /** Reads the rest; throws if the file has changed meanwhile. */
  async finish(): Promise<void> {
    const rest = beforeFooter(this.front.core, this.#queue);
    let step = await rest.next();
    for (; !step.done; step = await rest.next()) {
      this.#crc.update(step.value);
      await this.#onStep(this.#queue.position);
    }
    if (!step.value) throw changed();
    if (step.value.crc32 !== this.#crc.value) {
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
  job: TransformJob,
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
  readonly entry: Apr2Tensor;
  /** From the data's beginning, in the new file. */
  readonly offset: number;
  readonly storedBytes: number;
}

/** In the order of their data, the first at `firstOffset`. */
export function placeTensors(
  { tensors }: Apr2Front,
  firstOffset: number,
  storedBytes: (entry: Apr2Tensor) => number,
): readonly PlacedTensor[] {
  const inOrder = [...tensors].sort((a, b) => a.offset - b.offset || a.size - b.size);
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
  tensorBytes: (tensor: PlacedTensor) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let position = begin;
  for (const tensor of tensors) {
    yield* zeros(tensor.offset - position);
    yield* tensorBytes(tensor);
    position = tensor.offset + tensor.storedBytes;
  }
}

export interface NewFront {
  readonly header: Uint8Array<ArrayBuffer>;
  readonly metadata: Uint8Array<ArrayBuffer>;
  readonly index: Uint8Array<ArrayBuffer>;
  readonly dataOffset: number;
}

export async function newFront(
  front: Apr2Front,
  tensors: readonly PlacedTensor[],
  flags: Pick<Apr2Header, 'isEncrypted' | 'isSigned'>,
  members: Readonly<Record<string, unknown>>,
  yielder: YieldController,
): Promise<NewFront> {
  const text = new TextDecoder().decode(front.metadataBytes);
  const metadata = new TextEncoder().encode(await withMembers(text, members, yielder));
  const index = front.indexBytes.slice();
  const view = new DataView(index.buffer);
  for (const { entry, offset, storedBytes } of tensors) {
    view.setBigUint64(entry.placeAt, BigInt(offset), true);
    view.setBigUint64(entry.placeAt + 8, BigInt(storedBytes), true);
  }
  const { bytes: header, dataOffset } = front.core.newHeader(front, flags, metadata.length);
  return { header, metadata, index, dataOffset };
}

/** A file as it was written; its checksum, and that of all its bytes with the footer. */
export interface WrittenFile {
  readonly byteCount: number;
  readonly footerCrc32: number;
  readonly crc32: number;
}

export interface TransformedFile extends WrittenFile {
  readonly tensorCount: number;
  readonly warnings: readonly string[];
}

/** Writes front, signature, data and footer. */
export async function writeFile(
  { core, write, yielder }: TransformJob,
  { header, metadata, index, dataOffset }: NewFront,
  signature: Uint8Array,
  data: AsyncIterable<Uint8Array>,
): Promise<WrittenFile> {
  const crc = core.crc32();
  let byteCount = 0;
  const emit = async (bytes: Uint8Array): Promise<void> => {
    crc.update(bytes);
    byteCount += bytes.length;
    await write(bytes);
  };
  for (const section of [header, metadata, index]) {
    for (let at = 0; at < section.length; at += stretchBytes) {
      await emit(section.subarray(at, at + stretchBytes));
      await yielder.step();
    }
  }
  for (const padding of zeros(dataOffset - byteCount)) await emit(padding);
  if (signature.length > 0) await emit(signature);
  for await (const bytes of data) await emit(bytes);
  const footerCrc32 = crc.value;
  await emit(core.footer(footerCrc32, byteCount + footerBytes));
  return { byteCount, footerCrc32, crc32: crc.value };
}
