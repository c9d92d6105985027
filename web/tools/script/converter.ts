// Converts text by OpenCC's dictionaries: at each place the longest phrase that one of them has.

/** Characters outside the Basic Multilingual Plane are two UTF-16 units. */
const unitsAt = (text: string, at: number): number => (text.codePointAt(at)! > 0xffff ? 2 : 1);

/** A dictionary's phrases with what they become. */
class Phrases {
  readonly #byPhrase = new Map<string, string>();
  /** First character → the units of its longest phrase. */
  readonly #longest = new Map<number, number>();

  /** Where several lists have a phrase, the first one counts. */
  constructor(lists: readonly string[]) {
    for (const entry of lists.flatMap((list) => list.split('|'))) {
      const end = entry.indexOf(' ');
      const phrase = entry.slice(0, end);
      if (this.#byPhrase.has(phrase)) continue;
      this.#byPhrase.set(phrase, entry.slice(end + 1));
      const first = phrase.codePointAt(0)!;
      this.#longest.set(first, Math.max(this.#longest.get(first) ?? 0, phrase.length));
    }
  }

  convert(text: string): string {
    let converted = '';
    for (let at = 0; at < text.length;) {
      const phrase = this.#phraseAt(text, at);
      converted += this.#byPhrase.get(phrase) ?? phrase;
      at += phrase.length;
    }
    return converted;
  }

  /** The longest phrase that begins there, or else the character there. */
  #phraseAt(text: string, at: number): string {
    const shortest = unitsAt(text, at);
    for (let units = this.#longest.get(text.codePointAt(at)!) ?? 0; units > shortest; --units) {
      const phrase = text.slice(at, at + units);
      if (this.#byPhrase.has(phrase)) return phrase;
    }
    return text.slice(at, at + shortest);
  }
}

/** Makes a conversion by groups of dictionaries, one group after the other. A dictionary comes before those that it overrides. */
export function converter(...groups: readonly (readonly string[])[]): (text: string) => string {
  const steps = groups.map((lists) => new Phrases(lists));
  return (text) => steps.reduce((given, step) => step.convert(given), text);
}
