/**
 * One after the other, in a new array.
 * @type {(parts: readonly Float32Array[]) => Float32Array}
 */
export function joined(parts) {
  const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
