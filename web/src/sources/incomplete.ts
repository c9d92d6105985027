// Recognises incomplete downloads: a file's header states its full length.
import { amountOf } from '../api/amounts.js';
import { SusurrusError } from '../api/errors.js';

type Read = (begin: number, end: number) => Promise<Uint8Array>;

/** No model has a larger index. */
const mostIndexBytes = 1 << 26;

const headBytes = 32;
const footerBytes = 16;

/** Returns `error`, or an error with the number of missing bytes if the file's own header states a greater length. */
export async function sayIncomplete(
  error: unknown,
  byteCount: number | undefined,
  read: Read | undefined,
): Promise<unknown> {
  if (!(error instanceof SusurrusError) || byteCount === undefined || !read) return error;
  // Formats that state all sizes in front contradict themselves where the end is missing.
  if (error.code !== 'truncated_input' && error.code !== 'malformed') return error;
  const whole = await wholeSize(read).catch(() => undefined);
  if (whole === undefined || whole <= byteCount) return error;
  return new SusurrusError(
    error.code,
    `This download is incomplete: ${amountOf(byteCount, whole)} are here. Download the file again.`,
    { ...error.details, expected: `${whole} bytes`, got: `${byteCount} bytes` },
    error,
  );
}

/** Bytes of an APR2 or SafeTensors file by its head; undefined for other files, and where the head itself is not all here. */
async function wholeSize(read: Read): Promise<number | undefined> {
  const head = await read(0, headBytes);
  if (head.length < headBytes) return undefined;
  const view = viewOf(head);
  if (String.fromCharCode(...head.subarray(0, 4)) === 'APR2') return apr2Size(view, read);
  const headerBytes = Number(view.getBigUint64(0, true));
  return head[8] === '{'.charCodeAt(0) && headerBytes <= mostIndexBytes
    ? safetensorsSize(headerBytes, read)
    : undefined;
}

async function apr2Size(head: DataView, read: Read): Promise<number | undefined> {
  const [indexOffset, indexSize, dataOffset] = [20, 24, 28].map((at) => head.getUint32(at, true));
  if (indexOffset === undefined || !indexSize || dataOffset === undefined) return undefined;
  if (indexSize > mostIndexBytes) return undefined;
  const index = viewOf(await read(indexOffset, indexOffset + indexSize));
  if (index.byteLength < indexSize) return undefined;
  let end = 0;
  // Count and a reserved field stand in front; then name, type, shape, offset, size, raw size and flags of each tensor.
  for (let at = 8; at < indexSize;) {
    const nameBytes = index.getUint16(at, true);
    const sizes = at + 2 + nameBytes + 2 + 8 * index.getUint8(at + 2 + nameBytes + 1);
    const [offset, size] = [sizes, sizes + 8].map((place) => index.getBigUint64(place, true));
    end = Math.max(end, Number(offset) + Number(size));
    at = sizes + 28;
  }
  return dataOffset + end + footerBytes;
}

async function safetensorsSize(headerBytes: number, read: Read): Promise<number | undefined> {
  const header = await read(8, 8 + headerBytes);
  if (header.length < headerBytes) return undefined;
  const tensors = JSON.parse(new TextDecoder().decode(header)) as Record<
    string,
    { readonly data_offsets?: readonly number[] }
  >;
  const ends = Object.values(tensors).map(({ data_offsets }) => data_offsets?.[1] ?? 0);
  return 8 + headerBytes + Math.max(0, ...ends);
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
