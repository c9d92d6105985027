// Samples on stdin while they come: raw 16-bit integers, or a WAV file, whose header says what they are.
import { SusurrusError } from '../src/node.js';

/** Mono samples, and how fast they are. */
export interface InputSound {
  /** From the header of a WAV file; undefined for raw samples. */
  readonly sampleRate: number | undefined;
  readonly samples: AsyncIterable<Int16Array | Float32Array>;
}

interface Layout {
  readonly sampleRate: number | undefined;
  readonly channels: number;
  readonly isFloat: boolean;
  /** Bytes of sample data; Infinity if the writer did not know, as in a pipe. */
  readonly byteCount: number;
}

const raw: Layout = {
  sampleRate: undefined,
  channels: 1,
  isFloat: false,
  byteCount: Infinity,
};
const [integerTag, floatTag, extensibleTag] = [1, 3, 0xfffe];
/** A header is never so long; what claims to be, is none. */
const mostHeader = 1 << 20;

/** Reads as far as the first sample. */
export async function readSound(input: AsyncIterable<Uint8Array>): Promise<InputSound> {
  const bytes = new ByteReader(input);
  const layout = (await bytes.peek(12)) && isWav(bytes) ? await readHeader(bytes) : raw;
  return { sampleRate: layout.sampleRate, samples: samplesOf(bytes, layout) };
}

const isWav = (bytes: ByteReader): boolean => bytes.text(0) === 'RIFF' && bytes.text(8) === 'WAVE';

async function readHeader(bytes: ByteReader): Promise<Layout> {
  bytes.skip(12);
  let format: Omit<Layout, 'byteCount'> | undefined;
  for (;;) {
    if (!(await bytes.peek(8))) throw badWav('it ends before its samples');
    const [name, size] = [bytes.text(0), bytes.view.getUint32(4, true)];
    bytes.skip(8);
    if (name === 'data') {
      if (!format) throw badWav('nothing says what its samples are');
      // A program that writes into a pipe does not know the size yet.
      const isKnown = size > 0 && size < 0x7fff0000;
      return { ...format, byteCount: isKnown ? size : Infinity };
    }
    const padded = size + (size % 2);
    if (padded > mostHeader || !(await bytes.peek(padded))) {
      throw badWav('it ends before its samples');
    }
    if (name === 'fmt ' && size >= 16) format = formatOf(bytes.view, size);
    bytes.skip(padded);
  }
}

function formatOf(view: DataView, size: number): Omit<Layout, 'byteCount'> {
  const tag = view.getUint16(0, true);
  const kind = tag === extensibleTag && size >= 26 ? view.getUint16(24, true) : tag;
  const [channels, sampleRate] = [view.getUint16(2, true), view.getUint32(4, true)];
  const bits = view.getUint16(14, true);
  const isFloat = kind === floatTag && bits === 32;
  if (!isFloat && !(kind === integerTag && bits === 16)) {
    throw badWav('its samples are neither 16-bit integers nor 32-bit floats');
  }
  if (channels === 0 || sampleRate === 0) throw badWav('it has no channel, or no rate');
  return { sampleRate, channels, isFloat };
}

async function* samplesOf(
  bytes: ByteReader,
  { channels, isFloat, byteCount }: Layout,
): AsyncGenerator<Int16Array | Float32Array> {
  const sampleBytes = isFloat ? 4 : 2;
  const frameBytes = sampleBytes * channels;
  for (let left = byteCount; left >= frameBytes && (await bytes.peek(frameBytes));) {
    const { view } = bytes;
    const count = Math.floor(Math.min(view.byteLength, left) / frameBytes);
    const value = (at: number): number =>
      isFloat ? view.getFloat32(at, true) : view.getInt16(at, true);
    const mono = (frame: number): number => {
      let sum = 0;
      for (let i = 0; i < channels; ++i) sum += value(frame * frameBytes + i * sampleBytes);
      return sum / channels;
    };
    const samples = isFloat ? new Float32Array(count) : new Int16Array(count);
    for (let frame = 0; frame < count; ++frame) samples[frame] = mono(frame);
    left -= count * frameBytes;
    bytes.skip(count * frameBytes);
    yield samples;
  }
}

const badWav = (problem: string): SusurrusError =>
  new SusurrusError('source_failed', `stdin: this WAV file cannot be heard: ${problem}`, {
    reason: 'bad_audio',
    subject: 'stdin',
  });

/** Bytes that come in chunks, looked at before they are taken. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #bytes = new Uint8Array();

  constructor(input: AsyncIterable<Uint8Array>) {
    this.#chunks = input[Symbol.asyncIterator]();
  }

  /** All that is there. */
  get view(): DataView {
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.byteLength);
  }

  text(at: number): string {
    return String.fromCharCode(...this.#bytes.subarray(at, at + 4));
  }

  /** Waits for so many bytes; false where the input ends before. */
  async peek(count: number): Promise<boolean> {
    while (this.#bytes.length < count) {
      const step = await this.#chunks.next();
      if (step.done) return false;
      const bytes = new Uint8Array(this.#bytes.length + step.value.length);
      bytes.set(this.#bytes);
      bytes.set(step.value, this.#bytes.length);
      this.#bytes = bytes;
    }
    return true;
  }

  skip(count: number): void {
    this.#bytes = this.#bytes.subarray(count);
  }
}
