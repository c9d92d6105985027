// The bytes of a section, as the file has them.
import type { InspectedSection, Inspection } from '../../src/api/types.js';
import { invalidOption, sourceFailed, SusurrusError } from '../../src/api/errors.js';
import { throwIfAborted } from '../../src/api/signals.js';
import type { TensorSource } from './read_tensor.js';

/** The last one of that name. */
export function findSection(
  { sections = [], format }: Pick<Inspection, 'sections' | 'format'>,
  name: string,
): InspectedSection {
  const found = sections.findLast((section) => section.name === name);
  if (found) return found;
  const names = [...new Set(sections.map((section) => section.name))].join(', ');
  throw invalidOption(
    'name',
    names ? `one of ${names}` : `the name of a section, and ${format} has none`,
    name,
  );
}

export async function* sectionPieces(
  { folder, signal }: Pick<TensorSource, 'folder' | 'signal'>,
  { offset, size }: InspectedSection,
): AsyncGenerator<Uint8Array> {
  const file = folder.weightsFile;
  if (file === undefined) throw sourceFailed(folder.name, 'it is no single file');
  let count = 0;
  if (size > 0) {
    for await (const piece of folder.read(file, offset, size)) {
      throwIfAborted(signal);
      count += piece.length;
      yield piece;
    }
  }
  if (count < size) throw sourceFailed(file, 'it became shorter while it was read');
}

export async function readSection(
  source: Pick<TensorSource, 'folder' | 'signal'>,
  section: InspectedSection,
): Promise<Uint8Array> {
  const bytes = memoryFor(section);
  let count = 0;
  for await (const piece of sectionPieces(source, section)) {
    bytes.set(piece, count);
    count += piece.length;
  }
  return bytes;
}

function memoryFor({ name, size }: InspectedSection): Uint8Array {
  try {
    return new Uint8Array(size);
  } catch (error) {
    throw new SusurrusError(
      'out_of_memory',
      `There is no memory for the section ${name}: ${size} bytes.`,
      { reason: 'memory', subject: name, got: String(size) },
      error,
    );
  }
}
