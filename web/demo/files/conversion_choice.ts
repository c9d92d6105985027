// Before another program's model is converted: which type its weights shall have.
import { inspect } from '../../src/files.js';
import { formatsWithConfigBeside } from '../../src/api/generated/formats.js';
import { byId, element } from '../shell/dom.js';
import { strings } from '../strings.js';
import { convertedBytes, isQuantised, offeredTypes, type OfferedType } from './conversion_sizes.js';

/** Files that list what the weights' numbers stand for, as the converter looks for them. */
const vocabularyFiles = /^(tokenizer\.json|vocab\.json|vocabulary\.(json|txt))$/i;
export const lacksWords = (format?: string): Error =>
  new Error(
    strings.conversion.lacksWords(
      format === 'CTranslate2' ? strings.conversion.besideCTranslate2 : strings.conversion.beside,
    ),
  );

export class ConversionChoice {
  readonly #card = byId('conversion', HTMLElement);
  readonly #form = byId('conversion_form', HTMLFormElement);
  readonly #types = byId('conversion_types', HTMLElement);

  /**
   * Returns undefined for the types that the weights have; rejects when the signal is aborted, and where the model could write no
   * text. `onWaiting` is called when it is the person's turn.
   */
  async ask(
    files: readonly File[],
    name: string,
    signal: AbortSignal,
    onWaiting: () => void,
  ): Promise<OfferedType | undefined> {
    const facts = await inspect(files, { signal });
    const isWithout = formatsWithConfigBeside.includes(facts.format);
    if (isWithout && !files.some((file) => vocabularyFiles.test(file.name))) {
      throw lacksWords(facts.format);
    }
    // Blocks stay as they are.
    if (isQuantised(facts)) return undefined;
    byId('conversion_title', HTMLElement).textContent = strings.conversion.title(name);
    this.#types.replaceChildren(
      ...offeredTypes.map((type) => this.#option(type, convertedBytes(facts, type))),
    );
    this.#card.hidden = false;
    onWaiting();
    this.#form.querySelector('input')?.focus();
    try {
      await this.#answered(signal);
    } finally {
      this.#card.hidden = true;
    }
    const chosen = new FormData(this.#form).get('type');
    return offeredTypes.find((type) => type === chosen);
  }

  #option(type: OfferedType, bytes: number): HTMLElement {
    const label = element('label', 'conversion-type');
    const input = element('input');
    Object.assign(input, { type: 'radio', name: 'type', value: type, checked: type === 'q8_0' });
    const text = element('span');
    const { sizes, types } = strings.conversion;
    text.append(element('strong', '', `${type} `), sizes(bytes), element('small', '', types[type]));
    label.append(input, text);
    return label;
  }

  #answered(signal: AbortSignal): Promise<void> {
    return new Promise((done, failed) => {
      const stop = (): void => failed(signal.reason as Error);
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop, { once: true });
      this.#form.addEventListener(
        'submit',
        (event) => {
          event.preventDefault();
          done();
        },
        { once: true, signal },
      );
    });
  }
}
