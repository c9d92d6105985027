// Just enough of WebAssembly's binary format to write the loops whose speed limits ours.

function unsigned(value) {
  const bytes = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest & 127) | 128);
  }
}
function signed(value) {
  const bytes = [];
  for (let rest = value; ; rest >>= 7) {
    const low = rest & 127;
    if (rest >> 6 === 0 || rest >> 6 === -1) return [...bytes, low];
    bytes.push(low | 128);
  }
}

const vector = { i32: 0x7f, v128: 0x7b };
const list = (items) => [...unsigned(items.length), ...items.flat()];
const section = (id, bytes) => [id, ...unsigned(bytes.length), ...bytes];

/** Instructions as lists of bytes. Memory offsets are constants behind an address on the stack. */
export const op = {
  get: (local) => [0x20, ...unsigned(local)],
  set: (local) => [0x21, ...unsigned(local)],
  i32: (value) => [0x41, ...signed(value)],
  add: [0x6a],
  subtract: [0x6b],
  load32: (offset) => [0x28, 2, ...unsigned(offset)],
  store32: (offset) => [0x36, 2, ...unsigned(offset)],
  /** Runs the body until it leaves zero on the stack. */
  loop: (...body) => [0x03, 0x40, ...body.flat(), 0x0d, 0, 0x0b],
  simd: (code) => [0xfd, ...unsigned(code)],
  simdMemory: (code, offset) => [0xfd, ...unsigned(code), 0, ...unsigned(offset)],
};
export const simd = {
  load: 0x00,
  load8x8: 0x01,
  load32Splat: 0x09,
  store: 0x0b,
  xor: 0x51,
  addF32: 0xe4,
  mulF32: 0xe6,
  addI32: 0xae,
  dotI16: 0xba,
  relaxedMadd: 0x105,
  relaxedDot: 0x113,
};

/** Bytes of a module that exports `memory` of so many pages and one function `run` of i32 parameters without results. */
export function assemble({ pages, parameters, locals, body }) {
  const groups = locals.map(([count, type]) => [...unsigned(count), vector[type]]);
  const code = [...list(groups), ...body.flat(), 0x0b];
  const name = (text) => list([...text].map((letter) => [letter.charCodeAt(0)]));
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list([[0x60, ...list(Array(parameters).fill([vector.i32])), 0]])),
    ...section(3, list([[0]])),
    ...section(5, list([[0, ...unsigned(pages)]])),
    ...section(
      7,
      list([
        [...name('memory'), 2, 0],
        [...name('run'), 0, 0],
      ]),
    ),
    ...section(10, list([[...unsigned(code.length), ...code]])),
  ]);
}
