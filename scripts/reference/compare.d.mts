import type { DrawnCase } from './draw.mjs';

export interface Difference {
  readonly seek: number;
  readonly field: string;
  readonly reference: unknown;
  readonly susurrus: unknown;
}

export interface DifferingStep {
  readonly seek: number;
  readonly window: number;
  readonly step: number;
  readonly promptLength: number;
  readonly reference: number | undefined;
  readonly susurrus: number | undefined;
  readonly margin: number | undefined;
  readonly timestampMargin: number | undefined;
}

export declare function compareResults(
  drawn: Pick<DrawnCase, 'function' | 'options'>,
  reference: object,
  susurrus: object,
): Difference[];
export declare function inApiNames(result: object): object;
export declare function firstDifferingStep(
  windows: readonly object[],
  susurrus: object,
): DifferingStep | undefined;
export declare function closestSteps(
  windows: readonly object[],
  seek: number,
): {
  seek: number;
  margin: [step: number | undefined, value: number];
  timestampMargin: [step: number | undefined, value: number];
};
