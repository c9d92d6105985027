// Samples from the audio thread to the page through shared memory: no garbage there, no copies of messages here.

/** A power of two, so that positions may overflow: 22 s at 48 kHz. */
const capacity = 1 << 20;

/** What both ends share. */
export interface RingMemory {
  /** How many samples were written, and read, ever; both overflow. */
  readonly positions: Int32Array;
  readonly samples: Float32Array;
}

export function makeRing(): RingMemory {
  return {
    positions: new Int32Array(new SharedArrayBuffer(8)),
    samples: new Float32Array(new SharedArrayBuffer(4 * capacity)),
  };
}

const [written, read] = [0, 1];

/** As many of the samples as there is room for; returns how many. */
export function writeRing({ positions, samples }: RingMemory, block: Float32Array): number {
  const at = Atomics.load(positions, written);
  const waiting = (at - Atomics.load(positions, read)) | 0;
  const count = Math.min(block.length, capacity - waiting);
  const begin = at & (capacity - 1);
  const first = Math.min(count, capacity - begin);
  samples.set(block.subarray(0, first), begin);
  samples.set(block.subarray(first, count), 0);
  Atomics.store(positions, written, (at + count) | 0);
  return count;
}

/** All that was written and not read. */
export function readRing({ positions, samples }: RingMemory): Float32Array {
  const at = Atomics.load(positions, read);
  const count = (Atomics.load(positions, written) - at) | 0;
  const begin = at & (capacity - 1);
  const first = Math.min(count, capacity - begin);
  const block = new Float32Array(count);
  block.set(samples.subarray(begin, begin + first));
  block.set(samples.subarray(0, count - first), first);
  Atomics.store(positions, read, (at + count) | 0);
  return block;
}
