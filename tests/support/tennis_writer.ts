// TenniS modules written from their specification, independently of the core.
import { ByteList } from './apr2_writer.js';

export interface Field {
  readonly dtype: number;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

export interface TennisNode {
  readonly parameters: readonly (readonly [name: string, ...fields: Field[]])[];
  readonly inputs: readonly number[];
}

export interface TennisModule {
  readonly reservedWord?: number;
  readonly userBytes?: Uint8Array;
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  readonly nodes: readonly TennisNode[];
}

export const ints = (shape: readonly number[], ...values: number[]): Field => ({
  dtype: 5,
  shape,
  data: new Uint8Array(Int32Array.from(values).buffer),
});
export const floats = (shape: readonly number[], ...values: number[]): Field => ({
  dtype: 10,
  shape,
  data: new Uint8Array(Float32Array.from(values).buffer),
});
export function text(content: string): Field {
  const data = new TextEncoder().encode(content);
  return { dtype: 13, shape: [data.length], data };
}

export const tennisNode = (
  op: string,
  name: string,
  inputs: readonly number[],
  ...parameters: TennisNode['parameters']
): TennisNode => ({
  inputs,
  parameters: [['#op', text(op)], ['#name', text(name)], ...parameters],
});

export function writeTennis(module: TennisModule): Uint8Array {
  const out = new ByteList();
  const list = (items: readonly number[]): void => {
    out.u32(items.length);
    for (const item of items) out.u32(item >>> 0);
  };
  out.u32(module.reservedWord ?? 0);
  out.u32(0x19910929);
  const user = new Uint8Array(120);
  user.set(module.userBytes ?? []);
  out.bytes(user);
  list(module.inputs);
  list(module.outputs);
  out.u32(module.nodes.length);
  for (const { parameters, inputs } of module.nodes) {
    out.u32(parameters.length);
    for (const [name, ...fields] of parameters) {
      const bytes = new TextEncoder().encode(name);
      out.u32(bytes.length);
      out.bytes(bytes);
      out.u32(fields.length);
      for (const { dtype, shape, data } of fields) {
        out.u8(dtype);
        list(shape);
        out.bytes(data);
      }
    }
    list(inputs);
  }
  return out.done();
}
