// One model in the menu: its name, its size, its languages, what it is good for.
import { strings } from '../strings.js';
import { element } from '../shell/dom.js';
import { size } from '../shell/format.js';
import { inCatalogue, isLikelyTooLarge } from './catalogue.js';
import { isHere, keyOf, type OfferedModel } from './offered_models.js';

const { models: words } = strings;

/** "English · 43 MB", or what else there is to say in so much room. */
export function aboutModel(model: OfferedModel): string {
  const known = inCatalogue(model.name);
  const languages = known && (known.isEnglish ? words.english : words.manyLanguages);
  return [languages, sizeOf(model)].filter(Boolean).join(' · ');
}

function sizeOf(model: OfferedModel): string {
  if (model.byteCount !== undefined) return size(model.byteCount);
  const known = inCatalogue(model.name);
  return known && !isHere(model) ? words.toDownload(size(known.download * 1e6)) : '';
}

function purposeOf({ name, knowsDigitsAlone, isModule }: OfferedModel): string {
  if (knowsDigitsAlone) return words.purposes.digits;
  if (isModule) return words.purposes.module;
  return inCatalogue(name)?.purpose ?? '';
}

export function modelRow(
  model: OfferedModel,
  {
    isInUse,
    isRecommended,
    onChoose,
    onRemove,
  }: {
    readonly isInUse: boolean;
    /** For what was heard last: other languages. */
    readonly isRecommended: boolean;
    readonly onChoose: (item: HTMLLIElement) => void;
    readonly onRemove: () => void;
  },
): HTMLLIElement {
  const item = element('li', 'model-row');
  const button = element('button', 'model-button quiet');
  button.type = 'button';
  button.dataset.model = model.name;
  button.dataset.key = keyOf(model);
  if (isInUse) button.setAttribute('aria-current', 'true');
  const title = element('span', 'model-title');
  title.append(element('strong', '', model.name), ' ', element('span', 'hint', aboutModel(model)));
  button.append(title, element('span', 'model-purpose hint', purposeOf(model)));
  if (isRecommended) {
    button.classList.add('recommended');
    button.append(element('span', 'model-recommended', words.forOtherLanguages));
  }
  const known = inCatalogue(model.name);
  if (known && !model.file && isLikelyTooLarge(known)) {
    button.append(element('span', 'model-doubt', words.mayNotFit));
  }
  button.addEventListener('click', () => onChoose(item));
  item.append(button);
  if (model.kept || model.own) {
    const remove = element('button', 'model-remove quiet', words.remove);
    remove.type = 'button';
    remove.setAttribute('aria-label', words.removeNamed(model.name));
    remove.addEventListener('click', onRemove);
    item.append(remove);
  }
  return item;
}
