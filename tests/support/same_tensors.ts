import { expect } from '@jest/globals';
import type { ModelFile } from '../../web/src/api/types.js';

/** Expects the tensors of another file: names, types, shapes and bytes. */
export async function expectSameTensors(found: ModelFile, expected: ModelFile): Promise<void> {
  expect(found.tensors.length).toBe(expected.tensors.length);
  for (const { name } of expected.tensors) {
    const [one, other] = await Promise.all([found.tensor(name), expected.tensor(name)]);
    expect([name, one.dtype, one.shape]).toEqual([name, other.dtype, other.shape]);
    expect([name, Buffer.compare(one.bytes, other.bytes)]).toEqual([name, 0]);
  }
}
