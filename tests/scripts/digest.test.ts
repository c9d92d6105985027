import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { sha256 } from '../../scripts/toolchain/digest.mjs';

test('a file is digested piece by piece', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'susurrus-digest-'));
  const path = join(folder, 'file');
  try {
    // The example of FIPS 180-2, appendix B.1.
    writeFileSync(path, 'abc');
    expect(await sha256(path)).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    const bytes = Uint8Array.from({ length: 1_000_003 }, (_, i) => i % 251);
    writeFileSync(path, bytes);
    expect(await sha256(path)).toBe(createHash('sha256').update(bytes).digest('hex'));
    await expect(sha256(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
