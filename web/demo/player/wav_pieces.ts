// The samples of a WAV file, read slice by slice for its outline. What it does not know it leaves to the browser.
import { freeBuffer } from '../../src/protocol/whole_buffers.js';

export interface SamplePiece {
  /** Interleaved, −1 to 1. Their memory may hold the next piece later. */
  readonly samples: Float32Array;
  readonly sampleRate: number;
  readonly channels: number;
}

interface Layout {
  readonly sampleRate: number;
  readonly channels: number;
  readonly bytes: number;
  readonly read: (view: DataView, at: number) => number;
  readonly begin: number;
  readonly end: number;
}

const sliceBytes = 1 << 20;
/** Milliseconds between two slices: the first words are worth more than the outline. */
const betweenSlices = 20;
/** Chunks before the samples: more is no recording. */
const mostChunks = 64;

const readers: Readonly<Record<string, Layout['read']>> = {
  '1:1': (view, at) => (view.getUint8(at) - 128) / 128,
  '1:2': (view, at) => view.getInt16(at, true) / 32768,
  '1:3': (view, at) => ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 8388608,
  '1:4': (view, at) => view.getInt32(at, true) / 2147483648,
  '3:4': (view, at) => view.getFloat32(at, true),
  '3:8': (view, at) => view.getFloat64(at, true),
};

/** Undefined for what is no WAV file of plain samples. */
export async function wavPieces(file: Blob): Promise<AsyncGenerator<SamplePiece> | undefined> {
  const layout = await layoutOf(file);
  return layout && pieces(file, layout);
}

async function layoutOf(file: Blob): Promise<Layout | undefined> {
  const head = await viewOf(file, 0, 12);
  if (head.byteLength < 12 || name(head, 0) !== 'RIFF' || name(head, 8) !== 'WAVE')
    return undefined;
  let format: Omit<Layout, 'begin' | 'end'> | undefined;
  let at = 12;
  for (let chunk = 0; chunk < mostChunks && at + 8 <= file.size; ++chunk) {
    const header = await viewOf(file, at, at + 8);
    const size = header.getUint32(4, true);
    const begin = at + 8;
    if (name(header, 0) === 'fmt ') format = formatOf(await viewOf(file, begin, begin + 40));
    // A recorder that was interrupted leaves a size that is too large, or none.
    if (name(header, 0) === 'data') {
      const end = size === 0 ? file.size : Math.min(file.size, begin + size);
      return format && { ...format, begin, end };
    }
    at = begin + size + (size % 2);
  }
  return undefined;
}

function formatOf(view: DataView): Omit<Layout, 'begin' | 'end'> | undefined {
  if (view.byteLength < 16) return undefined;
  const [tag, channels] = [view.getUint16(0, true), view.getUint16(2, true)];
  const [sampleRate, bits] = [view.getUint32(4, true), view.getUint16(14, true)];
  const kind = tag === 0xfffe && view.byteLength >= 26 ? view.getUint16(24, true) : tag;
  const bytes = bits / 8;
  const read = readers[`${kind}:${bytes}`];
  if (!read || channels === 0 || sampleRate === 0) return undefined;
  return { sampleRate, channels, bytes, read };
}

async function* pieces(file: Blob, layout: Layout): AsyncGenerator<SamplePiece> {
  const { sampleRate, channels, bytes, read, begin, end } = layout;
  const frame = bytes * channels;
  const atOnce = Math.max(frame, sliceBytes - (sliceBytes % frame));
  const memory = new Float32Array(atOnce / bytes);
  for (let at = begin; at + frame <= end; at += atOnce) {
    if (at > begin) await new Promise((done) => setTimeout(done, betweenSlices));
    const view = await viewOf(file, at, Math.min(end, at + atOnce));
    const count = Math.floor(view.byteLength / frame) * channels;
    for (let i = 0; i < count; ++i) memory[i] = read(view, i * bytes);
    freeBuffer(view.buffer);
    yield { samples: memory.subarray(0, count), sampleRate, channels };
  }
}

const viewOf = async (file: Blob, begin: number, end: number): Promise<DataView<ArrayBuffer>> =>
  new DataView(await file.slice(begin, end).arrayBuffer());

const name = (view: DataView, at: number): string =>
  String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(at + i)));
