// The models that can be had: those beside the page (models.json), those kept in this browser, and the hub's.
import type { KeptModel } from '../../src/cache.js';
import type { KeptFiles } from '../shell/file_folder.js';
import { catalogue, inCatalogue, keptType } from './catalogue.js';
import { keptModels } from './kept_models.js';
import { ownModels } from './own_models.js';

export interface OfferedModel {
  readonly name: string;
  /** Its URL, relative to the page. */
  readonly file?: string;
  /** Its name on the hub. */
  readonly hub?: string;
  readonly sample: string;
  readonly byteCount?: number;
  /** Whether it knows the ten digits and nothing else. */
  readonly knowsDigitsAlone?: boolean;
  /** Whether it is a TenniS module, which is run by name. */
  readonly isModule?: boolean;
  /** What the browser keeps of it: all. */
  readonly kept?: KeptModel;
  /** Its files, where a person brought them and the browser keeps them. */
  readonly own?: KeptFiles;
  /** Whether the browser has a part of it. */
  readonly isBegun?: boolean;
}

/** What is there when the list cannot be read. */
const embedded: OfferedModel = {
  name: 'digits.apr',
  file: 'models/digits.apr',
  sample: 'sample.wav',
  knowsDigitsAlone: true,
};

/** What a choice is remembered by. */
export const keyOf = ({ file, hub, own, name }: OfferedModel): string =>
  own
    ? `own:${name}`
    : hub
      ? `hub:${inCatalogue(hub)?.name ?? hub}`
      : `page:${file?.split('?')[0] ?? name}`;

async function besidePage(): Promise<readonly OfferedModel[]> {
  try {
    const response = await fetch(new URL('models.json', import.meta.url));
    const models = (await response.json()) as readonly OfferedModel[];
    return models.length > 0 ? models : [embedded];
  } catch {
    return [embedded];
  }
}

const ofHub = (name: string, kept?: KeptModel): OfferedModel => ({
  name: inCatalogue(name)?.name ?? name,
  hub: kept?.name ?? inCatalogue(name)?.name ?? name,
  sample: 'sentences.wav',
  ...(kept && { kept, byteCount: kept.byteCount }),
});

export const ofOwn = (own: KeptFiles): OfferedModel => ({
  ...{ name: own.name, byteCount: own.byteCount, own },
  sample: 'sentences.wav',
});

/** Whether it needs no download. */
export const isHere = ({ file, kept, own }: OfferedModel): boolean =>
  file !== undefined || kept !== undefined || own !== undefined;

/** Those of the page first, then what is kept, then what can be downloaded. */
export async function offeredModels(): Promise<readonly OfferedModel[]> {
  const [beside, kept, own] = await Promise.all([besidePage(), keptModels(), ownModels.all()]);
  const ours = kept.filter(({ dtype, revision }) => dtype === keptType && revision === 'main');
  const named = ours.filter(({ complete }) => complete).map((model) => ofHub(model.name, model));
  const begun = new Set(ours.map(({ name }) => inCatalogue(name)?.name));
  const have = new Set([...beside, ...named].map(({ name }) => inCatalogue(name)?.name ?? name));
  const others = catalogue
    .filter(({ name }) => !have.has(name))
    .map(({ name }) => ({ ...ofHub(name), ...(begun.has(name) && { isBegun: true }) }));
  return [...beside, ...named, ...own.map(ofOwn), ...others];
}

/**
 * What to begin with: the choice of the last visit, whose download may have been cut short, else what can write down speech. Undefined
 * where a person has to choose.
 */
export function firstOf(
  models: readonly OfferedModel[],
  remembered: string | undefined,
): OfferedModel | undefined {
  const here = models.filter((model) => isHere(model) || model.isBegun);
  return (
    here.find((model) => keyOf(model) === remembered) ??
    here.find((model) => isHere(model) && !model.knowsDigitsAlone && !model.isModule)
  );
}

/**
 * What to offer in place of a model that knows English alone: one that is here, or else one of its size to download. That of tiny.en
 * has too many errors in other languages, as on the first visit.
 */
export function multilingualOf(
  models: readonly OfferedModel[],
  englishModel: string,
): OfferedModel | undefined {
  const known = models.filter(({ name }) => inCatalogue(name)?.isEnglish === false);
  const size = inCatalogue(englishModel)?.name === 'small.en' ? 'small' : 'base';
  return known.find(isHere) ?? known.find(({ name }) => name === size);
}

/** The ten-word model, which is asked for by name only. */
export const trialOf = (models: readonly OfferedModel[]): OfferedModel =>
  models.find(({ knowsDigitsAlone }) => knowsDigitsAlone) ?? embedded;
