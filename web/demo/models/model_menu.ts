// The menu of models: a button that says which one is in use, and a panel with all that can be had.
import { strings } from '../strings.js';
import { byId } from '../shell/dom.js';
import { downloadOffer } from './download_offer.js';
import { keepForGood, removeKept } from './kept_models.js';
import { aboutModel, modelRow } from './model_row.js';
import { isHere, keyOf, type OfferedModel } from './offered_models.js';
import { ownModels } from './own_models.js';
import { forgetModel } from './remembered.js';

const { models: words } = strings;

interface Callbacks {
  readonly onChoose: (model: OfferedModel) => void;
  /** Reads anew what there is. */
  readonly read: () => Promise<readonly OfferedModel[]>;
}

export class ModelMenu {
  readonly #button = byId('model_button', HTMLButtonElement);
  readonly #name = byId('model_name', HTMLElement);
  readonly #about = byId('model_about', HTMLElement);
  readonly #panel = byId('model_menu', HTMLDialogElement);
  readonly #calls: Callbacks;
  #models: readonly OfferedModel[] = [];
  #inUse = '';
  /** The key of the one that is recommended, while the menu is open. */
  #recommended: string | undefined;
  /** Counts what was asked for: a slow answer lists nothing after a later one. */
  #turn = 0;

  constructor(calls: Callbacks) {
    this.#calls = calls;
    this.#button.addEventListener('click', () => void this.open());
    byId('model_close', HTMLButtonElement).addEventListener('click', () => this.#panel.close());
    // Outside of its content only the backdrop is left of it.
    this.#panel.addEventListener('click', ({ target }) => {
      if (target === this.#panel) this.#panel.close();
    });
  }

  /** Lists what can be had. */
  offer(models: readonly OfferedModel[]): void {
    this.#models = models;
    this.#fill();
  }

  /** Shows which model is in use: one of the list, or another by its name alone. */
  mark(name: string, offered: OfferedModel | undefined): void {
    this.#inUse = offered ? keyOf(offered) : '';
    this.#name.textContent = name || words.noneChosen;
    this.#about.textContent = offered ? aboutModel(offered) : '';
    this.#fill();
  }

  /** `recommended`: the one of the list that is marked, and where the keyboard begins. */
  async open(
    recommended: (models: readonly OfferedModel[]) => OfferedModel | undefined = () => undefined,
  ): Promise<void> {
    delete this.#panel.dataset.listed;
    this.#recommended = undefined;
    this.#panel.showModal();
    const model = recommended(await this.#read());
    if (model) {
      this.#recommended = keyOf(model);
      this.#fill();
      this.#buttonOf(this.#recommended)?.focus();
    }
    this.#panel.dataset.listed = '';
  }

  /** Other models can be had by now: whoever looks at the menu shall see them. */
  async renew(): Promise<void> {
    if (this.#panel.open) await this.#read();
  }

  /** Returns what there is, and lists it unless that was asked again meanwhile. */
  async #read(): Promise<readonly OfferedModel[]> {
    const turn = ++this.#turn;
    const models = await this.#calls.read();
    if (turn === this.#turn) this.offer(models);
    return models;
  }

  #buttonOf(key: string): HTMLElement | undefined {
    const buttons = this.#panel.querySelectorAll<HTMLElement>('.model-button');
    return [...buttons].find(({ dataset }) => dataset.key === key);
  }

  #fill(): void {
    const isSpeech = (model: OfferedModel): boolean =>
      isHere(model) && !model.knowsDigitsAlone && !model.isModule;
    this.#list('models_here', this.#models.filter(isSpeech));
    this.#list(
      'models_hub',
      this.#models.filter(({ hub, kept }) => hub !== undefined && kept === undefined),
    );
    this.#list(
      'models_trial',
      this.#models.filter((model) => model.file !== undefined && !isSpeech(model)),
    );
  }

  #list(id: string, models: readonly OfferedModel[]): void {
    const list = byId(id, HTMLElement);
    byId(`${id}_part`, HTMLElement).hidden = models.length === 0;
    const focused = list.contains(document.activeElement)
      ? (document.activeElement as HTMLElement).dataset.key
      : undefined;
    list.replaceChildren(...models.map((model) => this.#row(model)));
    if (focused) this.#buttonOf(focused)?.focus();
  }

  #row(model: OfferedModel): HTMLLIElement {
    return modelRow(model, {
      isInUse: keyOf(model) === this.#inUse,
      isRecommended: keyOf(model) === this.#recommended,
      onChoose: (item) => {
        if (isHere(model)) this.#choose(model);
        else this.#ask(model, item);
      },
      onRemove: () => void this.#remove(model),
    });
  }

  #choose(model: OfferedModel): void {
    this.#panel.close();
    this.#calls.onChoose(model);
  }

  /** Says what the download takes, before it begins. */
  #ask(model: OfferedModel, item: HTMLLIElement): void {
    for (const old of this.#panel.querySelectorAll('.model-offer')) old.remove();
    const { box, button } = downloadOffer(model, {
      onDownload: () => {
        void keepForGood();
        this.#choose(model);
      },
      onFile: () => {
        this.#panel.close();
        byId('file', HTMLInputElement).click();
      },
    });
    item.append(box);
    button.focus();
  }

  async #remove(model: OfferedModel): Promise<void> {
    const { kept, own, name } = model;
    const note = byId('model_note', HTMLElement);
    try {
      if (kept) await removeKept(kept);
      if (own) await ownModels.remove(name);
      forgetModel(keyOf(model));
      note.textContent = words.removed(name);
    } catch (error) {
      note.textContent = error instanceof Error ? error.message : String(error);
    }
    await this.#read();
    byId('model_title', HTMLElement).focus();
  }
}
