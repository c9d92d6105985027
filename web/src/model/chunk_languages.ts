// The languages of a transcription in chunks, from what is heard in each.
import type { SavedChunks } from '../api/types.js';
import type { EngineCalls, HeardLanguages, Settings } from '../protocol/engine.js';

type Heard = HeardLanguages & Pick<EngineCalls['transcribe']['answer'], 'language'>;
type Share = SavedChunks['languages'][number];

export class ChunkLanguages {
  readonly #isPerWindow: boolean;
  #shares: Share[];

  constructor({ language }: Settings, saved: readonly Share[] = []) {
    this.#isPerWindow = language === 'per-window';
    this.#shares = [...saved];
  }

  /** The first chunk decides for a recording; per window each adds what it has. */
  add({ language, languageProbability: probability, languages = [] }: Heard): void {
    if (language === '' || (!this.#isPerWindow && this.#shares.length > 0)) return;
    const found =
      this.#isPerWindow && languages.length > 0 ? languages : [{ language, seconds: 0 }];
    for (const share of found) {
      const isMain = probability !== undefined && share.language === language;
      this.#addShare({ ...share, ...(isMain && { probability }) });
    }
  }

  /** The language that later chunks are told; undefined until it is known, and where each finds its own. */
  get told(): string | undefined {
    return this.#isPerWindow ? undefined : this.#shares[0]?.language;
  }

  get shares(): readonly Share[] {
    return this.#shares;
  }

  /** The language of the recording, as far as it is known. */
  get main(): string {
    return this.#mainShare?.language ?? '';
  }

  /** What else is known. */
  get found(): HeardLanguages {
    const probability = this.#mainShare?.probability;
    const timed = this.#shares.filter(({ seconds }) => seconds > 0);
    return {
      ...(probability !== undefined && { languageProbability: probability }),
      ...(this.#isPerWindow && {
        languages: timed.map(({ language, seconds }) => ({ language, seconds })),
      }),
    };
  }

  /** `found`, with what is known of a chunk that is being heard. */
  foundWith({ languages = [], languageProbability }: HeardLanguages): HeardLanguages {
    if (!this.#isPerWindow && this.#shares.length > 0) return this.found;
    if (languages.length === 0) {
      return languageProbability === undefined
        ? this.found
        : { ...this.found, languageProbability };
    }
    const soon = new ChunkLanguages({ language: 'per-window' }, this.#shares);
    const { language } = languages.reduce((most, share) =>
      share.seconds > most.seconds ? share : most,
    );
    soon.add({
      language,
      languages,
      ...(languageProbability !== undefined && { languageProbability }),
    });
    return soon.found;
  }

  get #mainShare(): Share | undefined {
    let main = this.#shares[0];
    for (const share of this.#shares) if (main && share.seconds > main.seconds) main = share;
    return main;
  }

  #addShare({ language, seconds, probability }: Share): void {
    const at = this.#shares.findIndex((share) => share.language === language);
    const before = this.#shares[at];
    const most = Math.max(probability ?? -1, before?.probability ?? -1);
    const share = {
      language,
      seconds: (before?.seconds ?? 0) + seconds,
      ...(most >= 0 && { probability: most }),
    };
    if (before) this.#shares[at] = share;
    else this.#shares.push(share);
  }
}
