// What family a model file is of, by its first bytes.
import { SusurrusError } from '../api/errors.js';
import { fileMarks } from '../api/generated/file_marks.js';
import type { ModelFamily } from '../api/types.js';

const networkMarks = fileMarks.filter(({ kind }) => kind === 'network');

/** So many first bytes tell of which family a file is. */
export const markBytes = Math.max(...networkMarks.map(({ at, bytes }) => at + bytes.length));

/** By a file's first bytes; undefined for a manifest, and for what no model begins with. */
export function familyOf(head: Uint8Array): ModelFamily | undefined {
  const network = networkMarks.find(({ at, bytes }) =>
    bytes.every((byte, i) => head[at + i] === byte),
  );
  if (network) return network.family;
  return /^APR[12\0]/.test(String.fromCharCode(...head.subarray(0, 4))) ? 'whisper' : undefined;
}

/** Rejects a model of another family than was asked for. */
export function checkFamily(got: string | undefined, wanted: string | undefined): void {
  if (got === undefined || wanted === undefined || got === wanted) return;
  throw new SusurrusError(
    'unsupported_feature',
    `This is a model of the family ${got}; ${wanted} was asked for.`,
    { reason: 'model', subject: 'family', expected: wanted, got },
  );
}
