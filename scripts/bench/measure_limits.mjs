// What this machine can do at most in WebAssembly on one thread: the inner loops of matrix products on data in the first
// cache, and plain reading of memory. In Node and in a browser's worker.
import { assemble, op, simd } from './wasm_assembler.mjs';

export const leftAt = 0;
export const rightAt = 16384;
export const steps = 256; // of the inner product: both sides stay in the first cache
const columns = 8;

/** [vector load of the right side and its bytes, values of the inner side in a step, the product of two locals]. */
const kernels = {
  mulAdd: {
    load: [simd.load, 16],
    depth: 1,
    product: (sum, a, b) => [op.get(sum), a, b, op.simd(simd.mulF32), op.simd(simd.addF32)],
  },
  madd: {
    load: [simd.load, 16],
    depth: 1,
    product: (sum, a, b) => [a, b, op.get(sum), op.simd(simd.relaxedMadd)],
  },
  dotI16: {
    load: [simd.load8x8, 8],
    depth: 2,
    product: (sum, a, b) => [a, b, op.simd(simd.dotI16), op.get(sum), op.simd(simd.addI32)],
  },
  relaxedDot: {
    load: [simd.load, 16],
    depth: 4,
    product: (sum, a, b) => [b, a, op.get(sum), op.simd(simd.relaxedDot)],
  },
};

/** Where a tile leaves its sums, [rows × 8]. */
export const sumsAt = 65536 - 1024;

/**
 * A register tile of rows × 8 columns: run(repeats) adds up the products of [256 × rows] of the left side, 4 bytes each, and
 * [256 × 8] of the right side.
 * @type {(name: 'mulAdd' | 'madd' | 'dotI16' | 'relaxedDot', rows: number) => Uint8Array<ArrayBuffer>}
 */
export function tileModule(name, rows) {
  const {
    load: [load, loadBytes],
    product,
  } = kernels[name];
  const [repeats, left, right, step] = [0, 1, 2, 3];
  const vectors = columns / 4;
  const [splat, firstRight, firstSum] = [4, 5, 5 + vectors];
  const sum = (row, column) => firstSum + row * vectors + column;
  const tileOps = [];
  for (let column = 0; column < vectors; ++column) {
    tileOps.push(
      op.get(right),
      op.simdMemory(load, rightAt + column * loadBytes),
      op.set(firstRight + column),
    );
  }
  for (let row = 0; row < rows; ++row) {
    tileOps.push(op.get(left), op.simdMemory(simd.load32Splat, leftAt + 4 * row), op.set(splat));
    for (let column = 0; column < vectors; ++column) {
      const to = sum(row, column);
      tileOps.push(...product(to, op.get(splat), op.get(firstRight + column)), op.set(to));
    }
  }
  const advance = (local, bytes) => [op.get(local), op.i32(bytes), op.add, op.set(local)];
  const countDown = (local) => [
    ...[op.get(local), op.i32(1), op.subtract, op.set(local), op.get(local)],
  ];
  const stores = [];
  for (let i = 0; i < rows * vectors; ++i) {
    stores.push(op.i32(0), op.get(firstSum + i), op.simdMemory(simd.store, sumsAt + 16 * i));
  }
  const inner = op.loop(
    ...tileOps,
    ...advance(left, 4 * rows),
    ...advance(right, vectors * loadBytes),
    ...countDown(step),
  );
  return assemble({
    pages: 1,
    parameters: 1,
    locals: [
      [3, 'i32'],
      [1 + vectors + rows * vectors, 'v128'],
    ],
    body: [
      op.loop(
        ...[op.i32(0), op.set(left), op.i32(0), op.set(right), op.i32(steps), op.set(step)],
        inner,
        ...countDown(repeats),
      ),
      ...stores,
    ],
  });
}

/** run(first, 64-byte groups): reads them in order. */
function reader(bytes) {
  const [address, groups, firstSum] = [0, 1, 2];
  const reads = [0, 1, 2, 3].flatMap((i) => [
    ...[op.get(address), op.simdMemory(simd.load, 16 * i), op.get(firstSum + i)],
    ...[op.simd(simd.xor), op.set(firstSum + i)],
  ]);
  const stores = [0, 1, 2, 3].flatMap((i) => [
    ...[op.i32(0), op.get(firstSum + i), op.simdMemory(simd.store, 16 * i)],
  ]);
  return assemble({
    pages: bytes / 65536,
    parameters: 2,
    locals: [[4, 'v128']],
    body: [
      op.loop(
        ...reads,
        ...[op.get(address), op.i32(64), op.add, op.set(address)],
        ...[op.get(groups), op.i32(1), op.subtract, op.set(groups), op.get(groups)],
      ),
      ...stores,
    ],
  });
}

const instance = async (bytes) => (await WebAssembly.instantiate(bytes)).instance.exports;
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** Runs a second, best of many short rounds: a limit is what is reached when nothing disturbs. */
async function bestRate(run, rounds) {
  // The optimising compiler takes over between calls.
  for (let i = 0; i < 3; ++i) {
    run();
    await pause(20);
  }
  let best = Infinity;
  for (let round = 0; round < rounds; ++round) {
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  }
  return 1000 / best;
}

/** Operations a second of the best tile (on zeros, which take as long as other numbers), or undefined where these instructions are not known. */
async function tileRate(name) {
  const rates = [];
  for (const rows of [4, 5, 6]) {
    const bytes = tileModule(name, rows);
    if (!WebAssembly.validate(bytes)) return undefined;
    const { run } = await instance(bytes);
    const repeats = 4000;
    const operations = repeats * steps * rows * columns * kernels[name].depth * 2;
    rates.push(operations * (await bestRate(() => run(repeats), 12)));
  }
  return Math.max(...rates);
}

/** {mulAdd, madd, dotI16, relaxedDot} in operations a second, and readRates: [[MiB, bytes a second]]. */
export async function measureLimits({ isQuick }) {
  const limits = {};
  for (const name of Object.keys(kernels)) {
    const rate = await tileRate(name);
    if (rate !== undefined) limits[name] = rate;
  }
  limits.readRates = [];
  for (const mebibytes of isQuick ? [16] : [16, 32, 40, 48, 64, 128]) {
    const bytes = mebibytes * 2 ** 20;
    const { run, memory } = await instance(reader(bytes));
    new Uint8Array(memory.buffer).fill(1);
    limits.readRates.push([mebibytes, bytes * (await bestRate(() => run(0, bytes / 64), 9))]);
  }
  return limits;
}
