import { readFileSync } from 'node:fs';
import { builtPackage } from './built_package.js';

/** The stored bytes of every tensor of an uncompressed APR2 file, with their dtype. */
export async function apr2Tensors(path: string): Promise<Map<string, [string, Buffer]>> {
  const { inspect } = await builtPackage();
  const { tensors } = await inspect(path);
  const file = readFileSync(path);
  return new Map(
    tensors.map(({ name, dtype, offset, size }) => [
      name,
      [dtype, file.subarray(offset, offset + size)],
    ]),
  );
}
