// Ids of a recording's speakers that stay when they are found again among more.

/** Voices whose cosine is less are of different people. */
const leastCosine = 0.5;

/** A speaker who has an id, and his voice when he was found last. */
interface Named {
  readonly id: string;
  vector: readonly number[];
}

export class VoiceNames {
  readonly #named: Named[] = [];

  /**
   * The ids of speakers, whose vectors have length 1: of those who are nearest to one another first, that of who was found before; where nobody was,
   * the next one that is free.
   */
  of(vectors: readonly (readonly number[])[]): string[] {
    const pairs = vectors
      .flatMap((vector, index) =>
        this.#named.map((named) => ({ index, named, cosine: cosineOf(vector, named.vector) })),
      )
      .filter(({ cosine }) => cosine >= leastCosine)
      .sort((a, b) => b.cosine - a.cosine);
    const known = new Map<number, Named>();
    const taken = new Set<Named>();
    for (const { index, named } of pairs) {
      if (known.has(index) || taken.has(named)) continue;
      known.set(index, named);
      taken.add(named);
    }
    return vectors.map((vector, index) => {
      const named = known.get(index) ?? this.#add();
      named.vector = vector;
      return named.id;
    });
  }

  #add(): Named {
    const named = { id: `S${this.#named.length + 1}`, vector: [] };
    this.#named.push(named);
    return named;
  }
}

const cosineOf = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, i) => sum + value * b[i]!, 0);
