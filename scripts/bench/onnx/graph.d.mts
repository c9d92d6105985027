type Attribute = number | { readonly integer: number } | readonly number[];
type Values = Float32Array | Uint8Array | Int8Array | Int32Array | BigInt64Array;

export declare class OnnxGraph {
  constructor(name: string);
  input(name: string, type: string, dims: readonly (number | string)[]): string;
  output(value: string, name: string, type: string, dims: readonly (number | string)[]): void;
  constant(name: string, make: () => { dims: readonly number[]; values: Values }): string;
  scalar(value: number): string;
  integers(...list: number[]): string;
  node(
    operator: string,
    inputs: readonly string[],
    attributes?: Readonly<Record<string, Attribute>>,
  ): string;
  node(
    operator: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>>,
    outputs: number | readonly string[],
  ): string[];
  finish(): readonly Uint8Array[];
}
