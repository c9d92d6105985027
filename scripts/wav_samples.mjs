// Plain WAV files: 16 kHz mono s16.

/** Samples behind the header; the length that it states is not looked at, since a pipe cannot know it. */
export function wavSamples(bytes) {
  const data = bytes.indexOf('data', 12, 'latin1') + 8;
  const view = new DataView(bytes.buffer, bytes.byteOffset + data, bytes.length - data);
  return Float32Array.from(
    { length: view.byteLength >> 1 },
    (_, i) => view.getInt16(2 * i, true) / 32768,
  );
}
