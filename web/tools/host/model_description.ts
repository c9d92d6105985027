// The JSON text from which the core composes a file (src/convert/compose). Bytes are texts there, a character for each.
import { byteLevelText } from '../convert/byte_level_text.js';
import { isObject } from '../convert/json_files.js';
import { filterbankKeys } from '../convert/metadata.js';
import { invalidOption } from '../../src/api/errors.js';
import { inSnakeCase } from '../files/inspection.js';
import type {
  PlainApr,
  PlainApril,
  PlainBw2l,
  PlainModel,
  PlainTennis,
  TextOrBytes,
} from '../../src/protocol/plain_model.js';

export function modelDescription(model: PlainModel): string {
  switch (model.format) {
    case 'apr2':
    case 'apr1':
      return JSON.stringify(aprDescription(model));
    case 'april':
      return JSON.stringify(aprilDescription(model));
    case 'bw2l':
      return JSON.stringify(bw2lDescription(model));
    case 'tennis':
      return JSON.stringify(tennisDescription(model));
  }
}

const utf8Bytes = (content: TextOrBytes): Uint8Array =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;

function byteString(content: TextOrBytes): string {
  const bytes = utf8Bytes(content);
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 4096) {
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 4096)));
  }
  return pieces.join('');
}

const floatBits = (value: number): number | undefined =>
  new Uint32Array(Float32Array.of(value).buffer)[0];

function aprDescription({ format, tensors, compress, alignment, ...parts }: PlainApr) {
  return {
    format,
    metadata: aprMetadata(parts),
    compress,
    alignment,
    tensors: tensors.map(({ name, scale, ...tensor }) => ({
      name: byteString(name),
      ...tensor,
      ...(scale !== undefined && { scale: floatBits(scale) }),
    })),
  };
}

/** APR2's metadata section; APR1's header, vocabulary and filterbank are made of the same. */
function aprMetadata({
  dims,
  metadata,
  vocabulary,
  filterbank,
}: Pick<PlainApr, 'dims' | 'metadata' | 'vocabulary' | 'filterbank'>): string {
  const given = JSON.parse(metadata) as Record<string, unknown>;
  const refuseTwo = (isGiven: boolean, key: string, option: string): void => {
    if (isGiven && key in given) {
      throw invalidOption(option, `left out, since metadata has ${key}`, given[key]);
    }
  };
  refuseTwo(dims !== undefined, 'architecture', 'dims');
  refuseTwo(vocabulary !== undefined, 'vocab', 'vocabulary');
  refuseTwo(filterbank !== undefined, 'mel_filterbank', 'filterbank');
  const { tokenizer_config: tokenizer } = given;
  return JSON.stringify({
    apr_version: '2.0.0',
    model_type: 'whisper',
    ...given,
    ...(dims && { architecture: inSnakeCase(dims) }),
    ...(filterbank && filterbankKeys(filterbank)),
    ...(vocabulary && {
      tokenizer_config: { ...(isObject(tokenizer) && tokenizer), vocab_encoding: 'gpt2-bytes' },
      vocab: vocabulary.map((token) => byteLevelText(utf8Bytes(token))),
    }),
  });
}

const aprilDescription = (model: PlainApril) => ({
  ...model,
  language: byteString(model.language),
  name: byteString(model.name),
  description: byteString(model.description),
  tokens: model.tokens.map(byteString),
});

const bw2lDescription = (model: PlainBw2l) => ({
  format: model.format,
  name: byteString(model.name),
  sections: model.sections.map(({ name, type, description, text, entries, layers, ...rest }) => ({
    name: byteString(name),
    type: byteString(type),
    description: byteString(description),
    ...rest,
    ...(text !== undefined && { text: byteString(text) }),
    ...(entries && { entries: entries.map((entry) => entry.map(byteString)) }),
    ...(layers && {
      layers: layers.map(({ arch, scale, offset, arrays }) => ({
        arch: byteString(arch),
        scale: floatBits(scale),
        offset: String(offset),
        arrays,
      })),
    }),
  })),
});

const tennisDescription = (model: PlainTennis) => ({
  ...model,
  userBytes: byteString(model.userBytes),
  nodes: model.nodes.map(({ inputs, parameters }) => ({
    inputs,
    parameters: parameters.map(({ name, fields }) => ({
      name: byteString(name),
      fields: fields.map(({ bytes, ...field }) => ({
        ...field,
        ...(bytes && { bytes: byteString(bytes) }),
      })),
    })),
  })),
});
