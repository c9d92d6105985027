import type { Dims } from './operations.mjs';

/** Limits of one run: operations a second, and [MiB, bytes a second] of reading memory. */
export interface Limits {
  readonly mulAdd: number;
  readonly dotI16: number;
  readonly madd?: number;
  readonly relaxedDot?: number;
  readonly readRates: readonly (readonly [mebibytes: number, bytes: number])[];
}
export interface Run {
  readonly [time: string]: unknown;
  readonly dims?: Dims;
  readonly wasmBytes?: number;
  readonly memory?: { wasmBytes: number; weightBytes: number; kvCacheBytes: number };
}
export interface Case {
  readonly engine: string;
  readonly weights: string;
  readonly variant: string;
  readonly threads: number;
}
export type Row = Case & Readonly<Record<string, unknown>>;

export declare function toRows(measured: {
  cases: readonly (Case & { runs: readonly Run[] })[];
  limits: readonly Limits[];
}): Row[];
export declare function toRatios(
  rows: readonly object[],
): (Case & Readonly<Record<string, unknown>>)[];
export declare function absurdities(rows: readonly object[], expected: number): string[];
