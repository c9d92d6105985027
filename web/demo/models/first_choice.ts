// The first visit: which model to fetch, as a choice of quality, until there is one to listen with.
import { byId, element, setText } from '../shell/dom.js';
import { size } from '../shell/format.js';
import { strings } from '../strings.js';
import { inCatalogue, isLikelyTooLarge } from './catalogue.js';
import { downloadOffer } from './download_offer.js';
import { keepForGood } from './kept_models.js';
import type { OfferedModel } from './offered_models.js';
import { speedOf, timeOfHour } from './speed_promise.js';

const { first: words, models: modelWords } = strings;

/** From the least to download to the most. */
const qualities = [
  { model: 'tiny.en', title: words.fast },
  { model: 'base', title: words.better },
  { model: 'small', title: words.best },
] as const;

interface Callbacks {
  readonly onChoose: (model: OfferedModel) => void;
  /** The ten-word model is wanted. */
  readonly onTrial: () => void;
}

export class FirstChoice {
  readonly #place = byId('first_choice', HTMLElement);
  readonly #list = byId('first_list', HTMLElement);
  readonly #offer = byId('first_offer', HTMLElement);
  readonly #calls: Callbacks;
  readonly #buttons = new Map<string, HTMLButtonElement>();

  constructor(calls: Callbacks) {
    this.#calls = calls;
    byId('first_file', HTMLButtonElement).addEventListener('click', chooseFile);
    byId('first_trial', HTMLButtonElement).addEventListener('click', () => calls.onTrial());
  }

  /** Whether a person has yet to choose, or what was chosen is not there yet. */
  get isOpen(): boolean {
    return !this.#place.hidden;
  }

  open(models: readonly OfferedModel[]): void {
    const rows = qualities.flatMap(({ model, title }) => {
      const offered = models.find(({ name, hub }) => hub !== undefined && name === model);
      return offered ? [this.#row(offered, title)] : [];
    });
    this.#list.replaceChildren(...rows);
    this.#place.hidden = false;
  }

  /** What waits for a model stands above the choice, since the status line may be out of sight; an empty text for nothing. */
  say(waits: string): void {
    setText(byId('first_about', HTMLElement), waits.trim() || words.about);
  }

  /** There is a model. */
  close(): void {
    const { activeElement } = document;
    const hadFocus = this.#place.contains(activeElement);
    this.#place.hidden = true;
    this.#offer.replaceChildren();
    // What has the focus must not vanish with it.
    if (hadFocus) byId('choose', HTMLButtonElement).focus();
  }

  /** This one is on its way; undefined for none, or one that is not among them. */
  mark(model: OfferedModel | undefined): void {
    this.#offer.replaceChildren();
    for (const [name, button] of this.#buttons) {
      button.setAttribute('aria-pressed', String(name === model?.name));
    }
  }

  /** What a download takes, before it begins or because it failed, with the ways round a hub that does not answer. */
  ask(model: OfferedModel): void {
    const { box, button } = downloadOffer(model, {
      onDownload: () => this.#choose(model),
      onFile: chooseFile,
    });
    box.prepend(element('strong', '', model.name));
    this.#offer.replaceChildren(box);
    button.focus();
  }

  #row(model: OfferedModel, title: string): HTMLLIElement {
    const item = element('li');
    const button = element('button', 'quality');
    button.type = 'button';
    button.dataset.model = model.name;
    button.setAttribute('aria-pressed', 'false');
    const known = inCatalogue(model.name);
    const languages = known?.isEnglish ? modelWords.english : modelWords.manyLanguages;
    const lines = [`${model.name} · ${languages}`, ...(known ? [size(known.download * 1e6)] : [])];
    const time = element('span', 'hint quality-time');
    button.append(
      element('strong', '', title),
      ...lines.map((line) => element('span', 'hint', line)),
      time,
    );
    void speedOf(model.name).then((speed) => {
      if (speed !== undefined) time.textContent = words.hourIn(timeOfHour(speed));
    });
    const isDoubtful = known !== undefined && isLikelyTooLarge(known);
    if (isDoubtful) button.append(element('span', 'model-doubt', modelWords.mayNotFit));
    button.addEventListener('click', () => {
      if (isDoubtful) this.ask(model);
      else this.#choose(model);
    });
    this.#buttons.set(model.name, button);
    item.append(button);
    return item;
  }

  #choose(model: OfferedModel): void {
    void keepForGood();
    this.#calls.onChoose(model);
  }
}

function chooseFile(): void {
  byId('file', HTMLInputElement).click();
}
