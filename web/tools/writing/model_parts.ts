// Checks a model to write and splits it into its description and the sources of its parts.
import { invalidOption } from '../../src/api/errors.js';
import type {
  PlainApr,
  PlainApril,
  PlainBw2l,
  PlainModel,
} from '../../src/protocol/plain_model.js';
import type {
  AprilParams,
  PartSource,
  WritableApr1,
  WritableApr2,
  WritableApril,
  WritableBw2l,
  WritableBw2lArray,
  WritableBw2lSection,
  WritableModel,
} from '../../src/api/write_types.js';
import {
  arrayOf,
  bytesOrText,
  chunkBytes,
  isChunk,
  numberField,
  objectOf,
  refuseOthers,
  sizes,
  text,
  whole,
} from './fields.js';
import { tennisParts } from './tennis_parts.js';

export interface ModelParts {
  readonly model: PlainModel;
  /** In the order in which the core asks for them. */
  readonly sources: readonly PartSource[];
}

export function modelParts(model: WritableModel): ModelParts {
  objectOf(model, 'model');
  switch (model.format) {
    case 'apr2':
    case 'apr1':
      return aprParts(model);
    case 'april':
      return aprilParts(model);
    case 'bw2l':
      return bw2lParts(model);
    case 'tennis':
      return tennisParts(model);
    default:
      throw invalidOption(
        'format',
        `one of 'apr2', 'apr1', 'april', 'bw2l', 'tennis'`,
        (model as { readonly format?: unknown }).format,
      );
  }
}

const aprKeys = ['format', 'dims', 'vocabulary', 'filterbank', 'tensors', 'compress'];

function aprParts(model: WritableApr2 | WritableApr1): ModelParts {
  const isApr2 = model.format === 'apr2';
  refuseOthers(model, [...aprKeys, ...(isApr2 ? ['metadata', 'alignment'] : [])], 'model');
  const { format, dims, vocabulary, filterbank, compress = 'none' } = model;
  const { metadata = {}, alignment = 64 } = isApr2 ? model : {};
  if (dims !== undefined) objectOf(dims, 'dims');
  else if (!isApr2) throw invalidOption('dims', 'the dimensions of a Whisper', dims);
  objectOf(metadata, 'metadata');
  if (!['lz4', 'none'].includes(compress)) {
    throw invalidOption('compress', `'lz4' or 'none'`, compress);
  }
  if (![64, 32].includes(alignment)) {
    throw invalidOption('alignment', '64 or 32', alignment);
  }
  if (filterbank !== undefined && !(filterbank instanceof Float32Array)) {
    throw invalidOption('filterbank', 'a Float32Array', filterbank);
  }
  const tensors = arrayOf(model.tensors, 'tensors').map((tensor, i) => {
    const subject = `tensors[${i}]`;
    refuseOthers(tensor, ['name', 'dtype', 'shape', 'data', 'scale'], subject);
    const name = text(tensor.name, `${subject}.name`);
    return {
      name,
      dtype: text(tensor.dtype, `${name}: dtype`),
      shape: sizes(tensor.shape, `${name}: shape`),
      ...(tensor.scale !== undefined && { scale: numberField(tensor.scale, `${name}: scale`) }),
    };
  });
  const plain: PlainApr = {
    format,
    dims: dims && { ...dims },
    metadata: JSON.stringify(metadata),
    vocabulary:
      vocabulary &&
      arrayOf(vocabulary, 'vocabulary').map((token) => bytesOrText(token, 'vocabulary')),
    filterbank,
    tensors,
    compress: compress === 'lz4',
    alignment,
  };
  return { model: plain, sources: model.tensors.map(({ data }) => data) };
}

const paramNames: readonly (keyof AprilParams)[] = [
  ...(['batch_size', 'segment_size', 'segment_step', 'mel_features', 'samplerate'] as const),
  ...(['frame_shift_ms', 'frame_length_ms', 'round_pow2', 'mel_low', 'mel_high'] as const),
  ...(['snip_edges', 'blank_token_id'] as const),
];
const networkNames = ['encoder', 'decoder', 'joiner'] as const;

function aprilParts(model: WritableApril): ModelParts {
  refuseOthers(
    model,
    ['format', 'language', 'name', 'description', 'params', 'tokens', 'networks', 'order'],
    'model',
  );
  refuseOthers(model.params, paramNames, 'params');
  refuseOthers(model.networks, networkNames, 'networks');
  const { params, networks } = model;
  const order = model.order && arrayOf(model.order, 'order').map((name) => text(name, 'order'));
  const entries = networkNames.map((name) => [name, byteCountOf(networks[name], name)] as const);
  const plain: PlainApril = {
    format: model.format,
    language: text(model.language, 'language'),
    name: text(model.name, 'name'),
    description: text(model.description, 'description'),
    params: Object.fromEntries(
      paramNames.map((name) => [name, numberField(params[name], name)]),
    ) as PlainApril['params'],
    tokens: arrayOf(model.tokens, 'tokens').map((token) => bytesOrText(token, 'tokens')),
    networks: Object.fromEntries(entries) as PlainApril['networks'],
    order,
  };
  const inOrder = networkNames.filter((name) => order?.includes(name) ?? true);
  if (order) inOrder.sort((a, b) => order.indexOf(a) - order.indexOf(b));
  return { model: plain, sources: inOrder.map((name) => networks[name].data) };
}

/** As stated, or as many as there are. */
function byteCountOf(
  part: { readonly byteCount?: number; readonly data: PartSource },
  name: string,
): number {
  objectOf(part, name);
  const { data, byteCount } = part;
  if (byteCount !== undefined) return whole(byteCount, `${name}: byteCount`);
  if (isChunk(data)) return chunkBytes(data).length;
  if (data instanceof Blob) return data.size;
  throw invalidOption(`${name}: byteCount`, 'given, since the data do not say it', byteCount);
}

function bw2lParts(model: WritableBw2l): ModelParts {
  refuseOthers(model, ['format', 'name', 'sections'], 'model');
  const sources: PartSource[] = [];
  const array = ({ dtype, length, data }: WritableBw2lArray, subject: string) => {
    sources.push(data);
    return {
      dtype: text(dtype, `${subject}: dtype`),
      length: whole(length, `${subject}: length`),
    };
  };
  const sections = arrayOf(model.sections, 'sections').map((section, i) => {
    objectOf(section, `sections[${i}]`);
    const name = text(section.name, `sections[${i}].name`);
    return {
      name,
      type: text(section.type, `${name}: type`),
      description: text(section.description ?? '', `${name}: description`),
      ...sectionContents(section, name, array, sources),
    };
  });
  const plain: PlainBw2l = { format: model.format, name: text(model.name, 'name'), sections };
  return { model: plain, sources };
}

type PlainContents = Omit<PlainBw2l['sections'][number], 'name' | 'type' | 'description'>;

function sectionContents(
  section: WritableBw2lSection,
  name: string,
  array: (array: WritableBw2lArray, subject: string) => { dtype: string; length: number },
  sources: PartSource[],
): PlainContents {
  const common = ['name', 'type', 'description'];
  if (is(section, 'utf8')) {
    refuseOthers(section, [...common, 'text'], name);
    return { text: bytesOrText(section.text, `${name}: text`) };
  }
  if (is(section, 'keyval')) {
    refuseOthers(section, [...common, 'entries'], name);
    const entries = arrayOf(section.entries, `${name}: entries`).map((entry) => {
      const [key, value] = arrayOf<unknown>(entry, `${name}: entries`);
      return [text(key, `${name}: key`), text(value, `${name}: value`)] as const;
    });
    return { entries };
  }
  if (is(section, 'array')) {
    refuseOthers(section, [...common, 'dtype', 'length', 'data'], name);
    return array(section, name);
  }
  if (is(section, 'layers')) {
    refuseOthers(section, [...common, 'layers'], name);
    const layers = arrayOf(section.layers, `${name}: layers`).map((layer, i) => {
      const subject = `${name}[${i}]`;
      refuseOthers(layer, ['arch', 'scale', 'offset', 'arrays'], subject);
      const { scale = 1, offset = 0, arrays = [] } = layer;
      return {
        arch: text(layer.arch, `${subject}.arch`),
        scale: numberField(scale, `${subject}.scale`),
        offset: typeof offset === 'bigint' ? offset : BigInt(integer(offset, `${subject}.offset`)),
        arrays: arrayOf(arrays, `${subject}.arrays`).map((item, j) => {
          refuseOthers(item, ['dtype', 'length', 'data'], `${subject}.arrays[${j}]`);
          return array(item, `${subject}.arrays[${j}]`);
        }),
      };
    });
    return { layers };
  }
  refuseOthers(section, [...common, 'data', 'byteCount'], name);
  const part = section as { readonly data: PartSource; readonly byteCount?: number };
  sources.push(part.data);
  return { byteCount: byteCountOf(part, name) };
}

/** The section types of strings overlap with the one of any string, which TypeScript does not tell apart. */
const is = <Type extends string>(
  section: WritableBw2lSection,
  type: Type,
): section is Extract<WritableBw2lSection, { readonly type: Type }> => section.type === type;

function integer(value: unknown, subject: string): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw invalidOption(subject, 'an integer, or a bigint', value);
}
