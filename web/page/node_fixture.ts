import { readFile } from 'node:fs/promises';

/** The fixture, from beside this script. */
export async function readFixture(): Promise<Blob> {
  return new Blob([await readFile(new URL('./digits.wav', import.meta.url))]);
}
