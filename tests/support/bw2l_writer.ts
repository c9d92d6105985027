// Writes BW2L files, from the description of the format alone.
import { f32, i64, joined, u64, u8, type Part } from './little_endian.js';

export const shortString = (text: string): Part => [
  u8(new TextEncoder().encode(text).length),
  text,
];
export const longString = (text: string): Part => [
  u64(new TextEncoder().encode(text).length),
  text,
];

export interface Bw2lSection {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
  readonly data: Part;
}

export const pairs = (entries: Readonly<Record<string, string>>): Part =>
  Object.entries(entries).map(([key, value]) => [shortString(key), longString(value)]);

export const array = (type: string, count: number, elements: Uint8Array): Part => [
  shortString(type),
  u64(count),
  elements,
];

export const layers = (
  list: readonly {
    readonly arch: string;
    readonly scale?: number;
    readonly offset?: number;
    readonly arrays?: readonly Part[];
  }[],
): Part => [
  u64(list.length),
  list.map(({ arch, scale = 1, offset = 0, arrays = [] }) => [
    longString(arch),
    f32(scale),
    i64(offset),
    u64(arrays.length),
    arrays,
  ]),
];

export function writeBw2l(name: string, sections: readonly Bw2lSection[]): Uint8Array {
  return joined(
    'BW2L',
    u8(1),
    shortString(name),
    u64(sections.length),
    sections.map(({ name: section, type, description = '', data }) => {
      const bytes = joined(data);
      return [
        shortString(section),
        shortString(type),
        longString(description),
        u64(bytes.length),
        bytes,
      ];
    }),
  );
}

export const smallBw2l: readonly Bw2lSection[] = [
  {
    name: 'flags',
    type: 'keyval',
    data: pairs({ mfsc: 'true', filterbanks: '40', samplerate: '8000', '': '' }),
  },
  {
    name: 'config',
    type: 'keyval',
    data: pairs({ criterion: 'asg', description: 'kleines Netz' }),
  },
  { name: 'arch', type: 'utf8', data: 'V -1 1 NFEAT 0\nC2 1 2 3 1 1 1\nL 80 2\n' },
  { name: 'tokens', type: 'utf8', data: '|\nä\n' },
  {
    name: 'layers',
    type: 'layers',
    description: 'weights',
    data: layers([
      { arch: 'V -1 1 NFEAT 0' },
      {
        arch: 'C2 1 2 3 1 1 1',
        arrays: [array('fp32', 6, new Uint8Array(24)), array('fp16', 2, new Uint8Array(4))],
      },
      {
        arch: 'L 80 2',
        scale: 0.25,
        offset: -3,
        arrays: [array('i8', 160, new Uint8Array(160)), array('i32', 2, new Uint8Array(8))],
      },
    ]),
  },
  { name: 'transitions', type: 'array', data: array('fp32', 4, new Uint8Array(16)) },
  { name: 'notes', type: 'poem', data: 'unknown types are kept' },
];
