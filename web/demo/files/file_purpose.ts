import { fileKind, type FileKind } from './file_kind.js';

/** What files that came together are for, and the name that stands for them. */
export interface FilePurpose {
  readonly kind: FileKind;
  readonly name: string;
  readonly files: readonly [File, ...File[]];
}

/** What was dropped first is looked at first, so that the latest wins. */
let looking: Promise<unknown> = Promise.resolve();

/** Files of a checkpoint are one with what is beside it. Several models are one in shards; else the first one counts. */
export function purposeOf(files: readonly File[]): Promise<FilePurpose | undefined> {
  const purpose = looking.catch(() => undefined).then(() => decide(files));
  looking = purpose;
  return purpose;
}

async function decide(files: readonly File[]): Promise<FilePurpose | undefined> {
  const kinds = await Promise.all(files.map(fileKind));
  const [first, ...others] = files;
  if (!first) return undefined;
  const checkpoint = files.find((_, i) => kinds[i] === 'checkpoint');
  if (checkpoint) return { kind: 'checkpoint', name: checkpoint.name, files: [first, ...others] };
  const [part, ...parts] = files.filter((_, i) => kinds[i] === 'model');
  if (part && parts.length > 0) {
    const all = [part, ...parts] as const;
    const manifest = all.find(({ name }) => !/-\d{5}-of-\d{5}\.apr$/i.test(name)) ?? first;
    return { kind: 'model', name: manifest.name, files: all };
  }
  return { kind: kinds[0] ?? 'audio', name: first.name, files: [first] };
}
