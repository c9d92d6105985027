/** One after the other, in a new array of class `Type`. */
export function joined<T extends Float32Array | Uint8Array>(
  parts: readonly T[],
  Type: new (length: number) => T,
): T {
  const whole = new Type(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
