// Reads a model.bin of CTranslate2 by its description, independently of the core.
import { fromHalf } from './halves.js';

export interface CTranslate2Variable {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

const bits = new DataView(new ArrayBuffer(4));
function fromBfloat(upper: number): number {
  bits.setUint32(0, upper * 65536);
  return bits.getFloat32(0);
}

/** Values as they are stored, by name. */
export function ctranslate2Variables(file: Buffer): Map<string, CTranslate2Variable> {
  let at = 0;
  const u8 = (): number => file.readUInt8((at += 1) - 1);
  const u16 = (): number => file.readUInt16LE((at += 2) - 2);
  const u32 = (): number => file.readUInt32LE((at += 4) - 4);
  const text = (): string => {
    const length = u16();
    at += length;
    return file.toString('latin1', at - length, at - 1);
  };
  const readers: Record<number, (offset: number, i: number) => number> = {
    0: (offset, i) => file.readFloatLE(offset + 4 * i),
    1: (offset, i) => file.readInt8(offset + i),
    2: (offset, i) => file.readInt16LE(offset + 2 * i),
    4: (offset, i) => fromHalf(file.readUInt16LE(offset + 2 * i)),
    5: (offset, i) => fromBfloat(file.readUInt16LE(offset + 2 * i)),
  };
  if (u32() !== 6 || text() !== 'WhisperSpec' || u32() !== 3) throw new Error('another version');
  const variables = new Map<string, CTranslate2Variable>();
  for (let left = u32(); left > 0; --left) {
    const name = text();
    const shape = Array.from({ length: u8() }, u32);
    const read = readers[u8()]!;
    const byteCount = u32();
    const offset = at;
    const count = shape.reduce((product, side) => product * side, 1);
    variables.set(name, {
      shape,
      values: Float32Array.from({ length: count }, (_, i) => read(offset, i)),
    });
    at += byteCount;
  }
  return variables;
}

/** CTranslate2's name of a tensor, and which of how many parts of its rows; undefined where it holds no such tensor. */
export function ctranslate2Name(name: string): [variable: string, part: number, parts: number] {
  const top: Record<string, string> = {
    'encoder.positional_embedding': 'encoder/position_encodings/encodings',
    'decoder.positional_embedding': 'decoder/position_encodings/encodings',
    'decoder.token_embedding.weight': 'decoder/embeddings/weight',
    'encoder.ln_post.weight': 'encoder/layer_norm/gamma',
    'encoder.ln_post.bias': 'encoder/layer_norm/beta',
    'decoder.ln.weight': 'decoder/layer_norm/gamma',
    'decoder.ln.bias': 'decoder/layer_norm/beta',
  };
  if (top[name] !== undefined) return [top[name], 0, 1];
  const match = /^(\w+)\.blocks\.(\d+)\.(.+)\.(weight|bias)$/.exec(name);
  if (!match) return [name.replaceAll('.', '/'), 0, 1];
  const [, stack, layer, module = '', kind] = match;
  const modules: Record<string, [string, number, number]> = {
    attn_ln: ['self_attention/layer_norm', 0, 1],
    'attn.query': ['self_attention/linear_0', 0, 3],
    'attn.key': ['self_attention/linear_0', 1, 3],
    'attn.value': ['self_attention/linear_0', 2, 3],
    'attn.out': ['self_attention/linear_1', 0, 1],
    cross_attn_ln: ['attention/layer_norm', 0, 1],
    'cross_attn.query': ['attention/linear_0', 0, 1],
    'cross_attn.key': ['attention/linear_1', 0, 2],
    'cross_attn.value': ['attention/linear_1', 1, 2],
    'cross_attn.out': ['attention/linear_2', 0, 1],
    mlp_ln: ['ffn/layer_norm', 0, 1],
    'mlp.0': ['ffn/linear_0', 0, 1],
    'mlp.2': ['ffn/linear_1', 0, 1],
  };
  const [path, part, parts] = modules[module]!;
  const isNorm = path.endsWith('layer_norm');
  const parameter = isNorm ? (kind === 'weight' ? 'gamma' : 'beta') : kind;
  return [`${stack}/layer_${layer}/${path}/${parameter}`, part, parts];
}
