/** Triangles over HTK's mel scale, each of area 1 in Hz, [bands, 201]: what one converter of GGUF writes into APR1 files. */
export function htkFilterbank(bands: number): Float32Array {
  const topMel = 2595 * Math.log10(1 + 8000 / 700);
  const edge = (i: number): number => 700 * (10 ** ((topMel * i) / (bands + 1) / 2595) - 1);
  return Float32Array.from({ length: bands * 201 }, (_, i) => {
    const band = Math.floor(i / 201);
    const hz = 40 * (i % 201);
    const [low, centre, high] = [edge(band), edge(band + 1), edge(band + 2)];
    const triangle = Math.min((hz - low) / (centre - low), (high - hz) / (high - centre));
    return (Math.max(triangle, 0) * 2) / (high - low);
  });
}
