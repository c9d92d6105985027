import { invalidOption } from '../../src/api/errors.js';
import type { PlainTennis } from '../../src/protocol/plain_model.js';
import type {
  PartSource,
  WritableTennis,
  WritableTennisField,
  WritableTennisNode,
} from '../../src/api/write_types.js';
import { arrayOf, chunkBytes, isChunk, refuseOthers, sizes, text } from './fields.js';

type PlainField = PlainTennis['nodes'][number]['parameters'][number]['fields'][number];

export function tennisParts(model: WritableTennis): {
  readonly model: PlainTennis;
  readonly sources: readonly PartSource[];
} {
  refuseOthers(
    model,
    ['format', 'reservedWord', 'userBytes', 'inputs', 'outputs', 'nodes'],
    'model',
  );
  const { userBytes = new Uint8Array() } = model;
  if (!(userBytes instanceof Uint8Array)) {
    throw invalidOption('userBytes', 'a Uint8Array of at most 120 bytes', userBytes);
  }
  const sources: PartSource[] = [];
  const nodes = arrayOf(model.nodes, 'nodes').map((node, i) => {
    const subject = `nodes[${i}]`;
    refuseOthers(node, ['op', 'name', 'parameters', 'inputs'], subject);
    return {
      inputs: sizes(node.inputs ?? [], `${subject}.inputs`),
      parameters: allParameters(node, subject).map((parameter) => {
        refuseOthers(parameter, ['name', 'fields'], `${subject}.parameters`);
        const name = parameterName(parameter.name, `${subject}.parameters: name`);
        const fields = arrayOf(parameter.fields, `${subject} ${name}`).map((field) =>
          plainField(field, name, `${subject} ${name}`, sources),
        );
        return { name, fields };
      }),
    };
  });
  return {
    model: {
      format: model.format,
      reservedWord: reservedWord(model.reservedWord ?? 0),
      userBytes,
      inputs: sizes(model.inputs, 'inputs'),
      outputs: sizes(model.outputs, 'outputs'),
      nodes,
    },
    sources,
  };
}

/** The document's `int32 fake`: the same 32 bits may be given with or without a sign. */
function reservedWord(word: unknown): number {
  const isWord = Number.isInteger(word) && Number(word) >= -(2 ** 31) && Number(word) < 2 ** 32;
  if (!isWord) throw invalidOption('reservedWord', 'a whole number of 32 bits', word);
  return Number(word) >>> 0;
}

/** Name of a parameter, which TenniS limits to less than 32 bytes. */
function parameterName(name: unknown, subject: string): string {
  const given = text(name, subject);
  if (new TextEncoder().encode(given).length < 32) return given;
  throw invalidOption(subject, 'a text of less than 32 bytes in UTF-8', given);
}

function allParameters(
  { op, name, parameters = [] }: WritableTennisNode,
  subject: string,
): NonNullable<WritableTennisNode['parameters']> {
  return [
    ...(op === undefined ? [] : [{ name: '#op', fields: [{ data: text(op, `${subject}.op`) }] }]),
    ...(name === undefined
      ? []
      : [{ name: '#name', fields: [{ data: text(name, `${subject}.name`) }] }]),
    ...arrayOf(parameters, `${subject}.parameters`),
  ];
}

function plainField(
  field: WritableTennisField,
  parameter: string,
  subject: string,
  sources: PartSource[],
): PlainField {
  refuseOthers(field, ['dtype', 'shape', 'data'], subject);
  const { dtype, shape, data } = field;
  if (typeof data === 'string') {
    const bytes = new TextEncoder().encode(text(data, subject));
    return {
      dtype: text(dtype ?? 'char8', `${subject}: dtype`),
      shape: sizes(shape ?? [bytes.length], `${subject}: shape`),
      bytes,
    };
  }
  const described = {
    dtype: text(dtype, `${subject}: dtype`),
    shape: sizes(shape, `${subject}: shape`),
  };
  if (!parameter.startsWith('#')) {
    sources.push(data);
    return described;
  }
  if (isChunk(data)) return { ...described, bytes: chunkBytes(data).slice() };
  throw invalidOption(subject, 'text, an array or an ArrayBuffer', data);
}
