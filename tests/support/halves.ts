// f32 and f16 beside each other, written down from IEEE 754 rather than taken from the core.

const nan = NaN;
const infinity = Infinity;
const powers = Array.from({ length: 64 }, (_, i) => 2 ** (i - 40));
/** 2 to a power of -40 to 23. */
const power2 = (exponent: number): number => powers[exponent + 40] ?? nan;

export function fromHalf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 31) return fraction ? nan : sign * infinity;
  return exponent === 0
    ? sign * fraction * power2(-24)
    : sign * (1 + fraction / 1024) * power2(exponent - 15);
}

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);
/** What 2 is raised to in a positive number, by its bits. */
function exponentOf(value: number): number {
  number[0] = value;
  return (words[1]! >> 20) - 1023;
}

/** Nearest, ties to even. */
export function toHalf(value: number): number {
  const sign = value < 0 || 1 / value < 0 ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (!(magnitude >= 0)) return 0x7e00;
  if (magnitude >= 65520) return sign | 0x7c00;
  const power = Math.max(-14, exponentOf(magnitude));
  const steps = roundToEven(magnitude / power2(power - 10));
  return sign | (steps + (power + 14) * 1024);
}

/** Millions of values in a moment, where Uint16Array.from() takes seconds. */
export function halves(values: Float32Array): Uint16Array<ArrayBuffer> {
  const found = new Uint16Array(values.length);
  for (let i = 0; i < values.length; ++i) found[i] = toHalf(values[i]!);
  return found;
}

function roundToEven(value: number): number {
  const whole = Math.floor(value);
  if (value - whole !== 0.5) return Math.round(value);
  return whole % 2 === 0 ? whole : whole + 1;
}
