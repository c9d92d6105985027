/**
 * A module whose function `p` returns i32x4.relaxed_dot_i8x16_i7x16_add_s of bytes 127 and 255, a lane of it. What the
 * instruction does with 255 depends on the machine.
 */
const probe = new Uint8Array([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7f], // type: () → i32
  ...[0x03, 0x02, 0x01, 0x00], // one function
  ...[0x07, 0x05, 0x01, 0x01, 0x70, 0x00, 0x00], // export "p"
  ...[0x0a, 0x17, 0x01, 0x15, 0x00],
  ...[0x41, 0xff, 0x00, 0xfd, 0x0f], // i8x16.splat 127
  ...[0x41, 0x7f, 0xfd, 0x0f], // i8x16.splat 255
  ...[0x41, 0x00, 0xfd, 0x11], // i32x4.splat 0
  ...[0xfd, 0x93, 0x02, 0xfd, 0x1b, 0x00, 0x0b], // the product, its lane 0
]);

/** The probe's results where one instruction computes it, exact with eight bits: x86 with AVX-VNNI, ARM with its dot product. */
const ofOneInstruction: readonly unknown[] = [4 * 127 * 255, -4 * 127];

/** Whether relaxed SIMD is there, and its integer dot product a single instruction. */
export function relaxedDot(): 'none' | 'slow' | 'fast' {
  try {
    const { p } = new WebAssembly.Instance(new WebAssembly.Module(probe)).exports;
    return ofOneInstruction.includes((p as () => unknown)()) ? 'fast' : 'slow';
  } catch {
    return 'none';
  }
}
