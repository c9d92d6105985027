// AIFF and AIFF-C: plain samples between two lists of chunks, big-endian except for 'sowt'.
import type { DecodedPiece, EncodedFile } from '../../src/protocol/audio.js';
import type { OpenedFile } from './audio_host.js';
import { pieceSamples } from './blocks.js';
import { audioError } from './failures.js';

interface AiffLayout {
  readonly channels: number;
  readonly sampleRate: number;
  readonly sampleBytes: number;
  readonly read: (view: DataView, at: number) => number;
  /** Offset of the first sample in the file. */
  readonly offset: number;
  readonly frameCount: number;
}

/** Undefined for any other file. */
export async function openAiff(file: EncodedFile): Promise<OpenedFile | undefined> {
  const head = await viewOf(file, 0, 12);
  if (head.byteLength < 12 || textAt(head, 0) !== 'FORM') return undefined;
  const kind = textAt(head, 8);
  if (kind !== 'AIFF' && kind !== 'AIFC') return undefined;
  const layout = await readLayout(file, kind === 'AIFC');
  const { channels, sampleRate, frameCount } = layout;
  return {
    facts: {
      format: 'AIFF',
      codec: 'pcm',
      duration: frameCount / sampleRate,
      sampleRate,
      channels,
    },
    pieces: piecesOf(file, layout),
  };
}

async function* piecesOf(
  file: EncodedFile,
  { channels, sampleRate, sampleBytes, read, offset, frameCount }: AiffLayout,
): AsyncGenerator<DecodedPiece, undefined> {
  const atOnce = Math.max(1, Math.floor(pieceSamples / channels));
  for (let frame = 0; frame < frameCount; frame += atOnce) {
    const count = Math.min(atOnce, frameCount - frame) * channels;
    const begin = offset + frame * channels * sampleBytes;
    const view = await viewOf(file, begin, begin + count * sampleBytes);
    // A file that ends early has the frames that are there, as a WAV file has.
    const present = Math.floor(view.byteLength / sampleBytes / channels) * channels;
    if (present === 0) return;
    const samples = Float32Array.from({ length: present }, (_, i) => read(view, i * sampleBytes));
    yield { samples, sampleRate, channels };
  }
}

async function readLayout(file: EncodedFile, isCompressedKind: boolean): Promise<AiffLayout> {
  let common: DataView | undefined;
  let sound: { offset: number; byteCount: number } | undefined;
  for (let at = 12; at + 8 <= file.size && !(common && sound);) {
    const header = await viewOf(file, at, at + 8);
    const size = header.getUint32(4);
    if (textAt(header, 0) === 'COMM')
      common = await viewOf(file, at + 8, at + 8 + Math.min(size, 64));
    if (textAt(header, 0) === 'SSND') {
      const skipped = (await viewOf(file, at + 8, at + 12)).getUint32(0);
      sound = { offset: at + 16 + skipped, byteCount: Math.max(0, size - 8 - skipped) };
    }
    at += 8 + size + (size % 2);
  }
  if (!common || common.byteLength < 18)
    throw audioError('malformed', 'This AIFF file has no COMM chunk');
  const channels = common.getUint16(0);
  const bits = common.getUint16(6);
  const sampleRate = Math.round(extendedAt(common, 8));
  const coding = isCompressedKind && common.byteLength >= 22 ? textAt(common, 18) : 'NONE';
  const sampleBytes = Math.ceil(bits / 8);
  const read = readerOf(coding, sampleBytes);
  if (!read) {
    throw audioError('unsupported_feature', 'AIFF-C with this coding is not read', {
      got: `${coding}, ${bits} bits`,
    });
  }
  if (channels === 0 || !(sampleRate > 0)) {
    throw audioError('malformed', 'This AIFF file is damaged', {
      got: `${channels} channels, ${sampleRate} Hz`,
    });
  }
  const { offset, byteCount } = sound ?? { offset: 0, byteCount: 0 };
  const frameCount = Math.min(common.getUint32(2), Math.floor(byteCount / sampleBytes / channels));
  if (frameCount === 0) throw audioError('malformed', 'This AIFF file holds no sound');
  return { channels, sampleRate, sampleBytes, read, offset, frameCount };
}

function readerOf(
  coding: string,
  sampleBytes: number,
): ((view: DataView, at: number) => number) | undefined {
  const isLittle = coding === 'sowt';
  if (/^fl32$/i.test(coding)) return (view, at) => view.getFloat32(at);
  if (/^fl64$/i.test(coding)) return (view, at) => view.getFloat64(at);
  if (coding !== 'NONE' && coding !== 'twos' && !isLittle) return undefined;
  switch (sampleBytes) {
    case 1:
      return (view, at) => view.getInt8(at) / 128;
    case 2:
      return (view, at) => view.getInt16(at, isLittle) / 32768;
    case 3:
      return (view, at) => {
        const [high, low] = isLittle ? [at + 2, at] : [at, at + 2];
        return (
          (view.getInt8(high) * 65536 + view.getUint8(at + 1) * 256 + view.getUint8(low)) / 8388608
        );
      };
    case 4:
      return (view, at) => view.getInt32(at, isLittle) / 2147483648;
    default:
      return undefined;
  }
}

/** An 80-bit number, as the sample rate is stored. */
function extendedAt(view: DataView, at: number): number {
  const exponent = (view.getUint16(at) & 0x7fff) - 16383;
  return (
    view.getUint32(at + 2) * 2 ** (exponent - 31) + view.getUint32(at + 6) * 2 ** (exponent - 63)
  );
}

const textAt = (view: DataView, at: number): string =>
  String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(at + i)));

async function viewOf(file: EncodedFile, begin: number, end: number): Promise<DataView> {
  return new DataView(await file.slice(begin, Math.min(file.size, end)).arrayBuffer());
}
