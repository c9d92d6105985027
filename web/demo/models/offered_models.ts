// The models that the page's server offers: models.json beside the page.
import { byId } from '../shell/dom.js';

export interface OfferedModel {
  readonly name: string;
  /** Addresses beside the page. */
  readonly file: string;
  readonly sample: string;
  /** Whether it knows the ten digits and nothing else. */
  readonly knowsDigitsAlone?: boolean;
  /** Whether it is a TenniS module, which is run by name. */
  readonly isModule?: boolean;
}

/** What is there when the list cannot be read. */
const embedded: OfferedModel = {
  name: 'digits.apr',
  file: 'models/digits.apr',
  sample: 'sample.wav',
  knowsDigitsAlone: true,
};

async function readList(): Promise<readonly [OfferedModel, ...OfferedModel[]]> {
  try {
    const response = await fetch(new URL('models.json', import.meta.url));
    const [first = embedded, ...others] = (await response.json()) as readonly OfferedModel[];
    return [first, ...others];
  } catch {
    return [embedded];
  }
}

/** Offers the models in a list, where there are several; none is chosen yet. Answers the one to begin with. */
export async function offerModels(choose: (model: OfferedModel) => void): Promise<OfferedModel> {
  const models = await readList();
  const select = byId('models', HTMLSelectElement);
  select.replaceChildren(...models.map(({ name }) => new Option(name)));
  select.selectedIndex = -1;
  byId('models_field', HTMLElement).hidden = models.length < 2;
  select.addEventListener('change', () => {
    const chosen = models[select.selectedIndex];
    if (chosen) choose(chosen);
  });
  return models[0];
}

/** Shows which offered model is in use; none when the user brought one. */
export function markOffered(model: OfferedModel | undefined): void {
  const select = byId('models', HTMLSelectElement);
  select.selectedIndex = [...select.options].findIndex(({ text }) => text === model?.name);
}
