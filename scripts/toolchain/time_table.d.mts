export interface Timed {
  readonly name: string;
  readonly seconds: number;
}
export declare function timeTable(steps: readonly Timed[], suites: readonly Timed[]): string[];
