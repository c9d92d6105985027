// Numbers drawn from a seed: the same text gives the same numbers everywhere.

/** sfc32, started from the text's FNV-1a hashes. */
export class Random {
  #state;

  /**
   * @param {string} seed
   * @param {string} seed
   */
  constructor(seed) {
    this.#state = Uint32Array.from([1, 2, 3, 4], (salt) => {
      let hash = 0x811c9dc5 ^ salt;
      for (const byte of Buffer.from(seed)) hash = Math.imul(hash ^ byte, 0x01000193);
      return hash;
    });
    for (let i = 0; i < 16; ++i) this.bits();
  }

  /**
   * 0 to 2^32 - 1.
   * @type {() => number}
   */
  bits() {
    const s = this.#state;
    const sum = (s[0] + s[1] + s[3]) >>> 0;
    s[3] += 1;
    s[0] = s[1] ^ (s[1] >>> 9);
    s[1] = s[2] + (s[2] << 3);
    s[2] = ((s[2] << 21) | (s[2] >>> 11)) + sum;
    return sum;
  }

  /**
   * In [low, high).
   * @type {(low?: number, high?: number) => number}
   */
  uniform(low = 0, high = 1) {
    return low + ((high - low) * this.bits()) / 2 ** 32;
  }

  /**
   * A whole number, both ends included.
   * @type {(low: number, high: number) => number}
   */
  integer(low, high) {
    return Math.floor(this.uniform(low, high + 1));
  }

  /** @type {(probability: number) => boolean} */
  chance(probability) {
    return this.uniform() < probability;
  }

  /** @type {<T>(list: readonly T[]) => T} */
  pick(list) {
    return list[this.integer(0, list.length - 1)];
  }

  /**
   * One of the values of [[weight, value]…], by weight.
   * @type {<T>(choices: readonly (readonly [weight: number, value: T])[]) => T}
   */
  weighted(choices) {
    let rest = this.uniform(
      0,
      choices.reduce((sum, [weight]) => sum + weight, 0),
    );
    for (const [weight, value] of choices) {
      rest -= weight;
      if (rest < 0) return value;
    }
    return choices[choices.length - 1][1];
  }

  /**
   * `count` values made by `make`.
   * @type {<T>(count: number, make: () => T) => T[]}
   */
  list(count, make) {
    return Array.from({ length: count }, make);
  }
}
