// What came in together: at most one model, and any number of recordings.
import { lookAt, type AskLoader, type Look } from './look_at_file.js';

export interface SortedModel {
  readonly kind: 'model' | 'module' | 'checkpoint';
  readonly name: string;
  readonly files: readonly [File, ...File[]];
}

export interface SortedFiles {
  readonly model?: SortedModel;
  readonly recordings: readonly File[];
  /** What can be used for nothing, each with why. */
  readonly wrong: readonly { readonly file: File; readonly problem: unknown }[];
  /** Further models: one is used at a time. */
  readonly leftOut: readonly File[];
}

const isShard = ({ name }: File): boolean => /-\d{5}-of-\d{5}\.apr$/i.test(name);

export async function sortFiles(
  files: readonly File[],
  askLoader?: AskLoader,
): Promise<SortedFiles> {
  const looks = await Promise.all(files.map((file) => lookAt(file, askLoader)));
  const of = (...kinds: readonly Look['kind'][]): File[] =>
    files.filter((_, i) => kinds.includes(looks[i]?.kind ?? 'wrong'));
  const recordings = of('audio');
  const checkpoint = of('checkpoint')[0];
  if (checkpoint) {
    // Whatever is beside it in its folder belongs to it.
    const [first = checkpoint, ...rest] = of('checkpoint', 'beside', 'wrong');
    const leftOut = of('model', 'module');
    const model = { kind: 'checkpoint', name: checkpoint.name, files: [first, ...rest] } as const;
    return { model, recordings, wrong: [], leftOut };
  }
  const wrong = files.flatMap((file, i) =>
    looks[i]?.kind === 'wrong' ? [{ file, problem: looks[i].problem }] : [],
  );
  return { ...oneModel(of('model'), of('beside'), of('module')), recordings, wrong };
}

/** A sharded model is all of its files; among several other models the first counts. */
function oneModel(
  models: readonly File[],
  beside: readonly File[],
  modules: readonly File[],
): Pick<SortedFiles, 'model' | 'leftOut'> {
  const [model, ...otherModels] = models;
  const [note, ...otherNotes] = beside;
  const [module, ...otherModules] = modules;
  if (model && (note || models.every(isShard))) {
    const { name } = note ?? model;
    return {
      model: { kind: 'model', name, files: [model, ...otherModels, ...beside] },
      leftOut: modules,
    };
  }
  if (model) {
    const found = { kind: 'model', name: model.name, files: [model] } as const;
    return { model: found, leftOut: [...otherModels, ...modules] };
  }
  if (module) {
    const found = { kind: 'module', name: module.name, files: [module] } as const;
    return { model: found, leftOut: [...otherModules, ...beside] };
  }
  // A text of JSON alone: the loader says what it is.
  if (note)
    return { model: { kind: 'model', name: note.name, files: [note] }, leftOut: otherNotes };
  return { leftOut: [] };
}
