export declare class Random {
  constructor(seed: string);
  bits(): number;
  uniform(low?: number, high?: number): number;
  integer(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  weighted<T>(choices: readonly (readonly [weight: number, value: T])[]): T;
  list<T>(count: number, make: () => T): T[];
}
