import type { ModelInfo } from '../src/index.js';
import { byId, element } from './dom.js';

/** Which language is spoken; shown for models that know more than one. */
export class LanguageChoice {
  readonly #row = byId('language_choice', HTMLElement);
  readonly #select = byId('language', HTMLSelectElement);

  /** A language code, or 'auto'. */
  get value(): string {
    return this.#row.hidden ? 'auto' : this.#select.value;
  }

  offer({ multilingual, languages }: ModelInfo): void {
    this.#row.hidden = !multilingual;
    const options = languages.map((code) => ({ code, name: languageName(code) }));
    options.sort((a, b) => a.name.localeCompare(b.name));
    options.unshift({ code: 'auto', name: 'Found by the model' });
    this.#select.replaceChildren(
      ...options.map(({ code, name }) => {
        const option = element('option', '', name);
        option.value = code;
        return option;
      }),
    );
  }
}

/** The English name of a language, or its code where the browser knows none. */
export function languageName(code: string): string {
  // Whisper's codes are the usual ones, but for Javanese.
  const names = new Intl.DisplayNames(['en'], { type: 'language' });
  return names.of(code === 'jw' ? 'jv' : code) ?? code;
}
