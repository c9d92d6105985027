// The tables as TypeScript: modules below web/src/api/generated.
import { camelCase, readFacts } from './read_facts.mjs';
import { fileMarksOf } from './cpp.mjs';
import { errorCodeType } from './error_texts.mjs';
import { cliName, commentOf, usageRows } from './option_texts.mjs';

const quoted = (text) => JSON.stringify(text);
const union = (names) => names.map((name) => `'${name}'`).join(' | ');
const literal = (value) => JSON.stringify(value);
const entries = (rows) => rows.map(([name, value]) => `  ${name}: ${value},`).join('\n');

function errors() {
  const { codes, reasons, pageReasons } = readFacts('errors');
  return `${errorCodeType()}
/** The number of each code. Tens are groups; a command's exit status is its group. */
export const errorNumbers = {
${codes.map(({ name, number, meaning }) => `  /** ${meaning} */\n  ${name}: ${number},`).join('\n')}
} as const satisfies Readonly<Record<ErrorCode, number>>;

/** The class of a rejection, finer than its code and as stable. */
export type ErrorReason =
${[...reasons, ...pageReasons].map((name) => `  | '${name}'`).join('\n')};
`;
}

function dtypes() {
  const { dtypes: all } = readFacts('dtypes');
  const weights = all.filter(({ isWeight }) => isWeight);
  const isBlock = ({ elementsPerBlock }) => elementsPerBlock > 1;
  const bits = ({ bytesPerBlock, elementsPerBlock }) => (8 * bytesPerBlock) / elementsPerBlock;
  const list = (rows) => `[${rows.map(({ name }) => `'${name}'`).join(', ')}]`;
  return `/** Element types of tensors. */
export type Dtype = ${union(all.map(({ name }) => name))};

/** Types that a model file's matrices may have. */
export type WeightType = ${union(weights.map(({ name }) => name))};

/** Bits of a weight, with what its block shares. The most exact type comes first. */
export const bitsPerWeight: Readonly<Record<WeightType, number>> = {
${entries(weights.map((row) => [row.name, bits(row)]))}
};

/** Types that convertModel() gives weights. */
export const weightTypes: readonly WeightType[] = ${list(weights)};
/** Those that are one number each. */
export const floatTypes = ${list(weights.filter((row) => !isBlock(row)))} as const;
/** Those in blocks that share a scale. */
export const blockTypes: readonly string[] = ${list(weights.filter(isBlock))};
/** Those that a file of ggml can have. */
export const ggmlTypes: readonly WeightType[] = ${list(weights.filter(({ ggml }) => ggml?.fileType !== undefined))};
`;
}

/** Not as one text, so that no control character stands in a source. */
const bytesOf = (bytes) => `[${[...bytes].map((byte) => byte.charCodeAt(0)).join(', ')}]`;

function fileMarks() {
  const told = ({ kindClass, kind }) =>
    ['checkpoint', 'network'].includes(kindClass) ? kindClass : kind === 'audio' ? kind : undefined;
  return `/** Bytes at a place by which files of some kinds are recognised before they are read: checkpoints that convertModel() takes, models that run as graphs, and audio. */
export const fileMarks: readonly {
  readonly kind: 'checkpoint' | 'network' | 'audio';
  readonly at: number;
  readonly bytes: readonly number[];
  /** A network's. */
  readonly family?: 'transducer' | 'acoustic';
}[] = [
${fileMarksOf(readFacts('file_kinds'))
  .filter(told)
  .map((mark) => {
    const family = mark.family ? `, family: '${mark.family}'` : '';
    return `  { kind: '${told(mark)}', at: ${mark.at}, bytes: ${bytesOf(mark.bytes)}${family} },`;
  })
  .join('\n')}
];
`;
}

function languages() {
  const { languages: all } = readFacts('languages');
  return `/** English names, in lower case, of the languages that Whisper's models know by these codes, in the order of their tokens. */
export const languageNames: Readonly<Record<string, string>> = {
${entries(all.map(({ code, name }) => [code, quoted(name)]))}
};

/** Other English names of theirs, which the reference's command takes. */
export const otherLanguageNames: Readonly<Record<string, readonly string[]>> = {
${entries(all.flatMap(({ code, otherNames }) => (otherNames ? [[code, `[${otherNames.map(quoted).join(', ')}]`]] : [])))}
};
`;
}

function whisper() {
  const { dimensions, constants, vocabularies } = readFacts('whisper');
  const member = (name, description) => `  /** ${description} */\n  readonly ${name}: number;`;
  return `${constants
    .map(
      ({ name, value, description }) => `/** ${description} */\nexport const ${name} = ${value};`,
    )
    .join('\n')}

/** Whisper's ten dimensions. */
export interface Dimensions {
${dimensions.map(({ name, description }) => member(camelCase(name), description)).join('\n')}
}

/** Dimensions under the names of model files, in APR2's order. */
export interface Architecture {
${dimensions.map(({ name, description }) => member(name, description)).join('\n')}
}

/** Each dimension's name in the hub's config.json; OpenAI's own folders use APR2's names. */
export const hubNames: Readonly<Record<keyof Architecture, string>> = {
${entries(dimensions.map(({ name, hub }) => [name, `'${hub}'`]))}
};

/** Official sizes of vocabularies: how many of the tokens are text, and how many languages. */
export const officialVocabularies: Readonly<
  Record<number, { readonly textTokens: number; readonly languages: number }>
> = {
${entries(vocabularies.map(({ size, textTokens, languages: count }) => [size, `{ textTokens: ${textTokens}, languages: ${count} }`]))}
};
`;
}

function formats() {
  const { formats: all } = readFacts('formats');
  const written = all.flatMap(({ output }) => output ?? []);
  const named = { weights: 'weightTypes', floats: 'floatTypes', ggml: 'ggmlTypes' };
  const list = (names) => `[${names.map((name) => `'${name}'`).join(', ')}]`;
  const those = (flag) => list(all.filter((row) => row[flag]).map(({ name }) => name));
  const dtypesOf = ({ name, dtypes: which }) => [
    name,
    Array.isArray(which) ? `${list(which)} as const` : named[which],
  ];
  return `import { floatTypes, ggmlTypes, weightTypes } from './dtypes.js';

/** Formats of files with weights. */
export type Format =
${all.map(({ name, description }) => `  /** ${description} */\n  | '${name}'`).join('\n')};

/** Those whose folders say in a config.json what their weights do not. */
export const formatsWithConfigBeside: readonly Format[] = ${those('configBeside')};
/** Those whose descriptions alone tell of tensors. */
export const formatsDescribedOnly: readonly Format[] = ${those('describedOnly')};

/** Those of which convertModel() takes a single file. */
export const convertibleFiles = ${list(all.filter(({ converts }) => converts === 'file').map(({ name }) => name))} as const;
/** Endings of their file names, in lower case; none for what has no files of its own. */
export const fileEndings = {
${entries(all.filter(({ endings }) => endings).map(({ name, endings }) => [`'${name}'`, list(endings)]))}
} as const;

/** What convertModel() writes, and of which types. */
export const outputDtypes = {
${entries(written.map(dtypesOf))}
} as const;
/** A format that convertModel() writes. */
export type OutputFormat = keyof typeof outputDtypes;
export const outputFormats: readonly OutputFormat[] = ${list(written.map(({ name }) => name))};
`;
}

// ---------------------------------------------------------------------------------------------------------------------
// Options

const typesOfKinds = {
  flag: 'boolean',
  number: 'number',
  whole: 'number',
  text: 'string',
  language: 'string',
  languages: 'readonly string[]',
  prompt: 'string | readonly number[]',
  hotwords: 'readonly Hotword[]',
  phrases: 'readonly string[]',
  suppressedTokens: '-1 | readonly number[]',
  temperatures: 'number | readonly number[]',
  times: 'readonly number[]',
  encoderContext: "'full' | 'auto' | number",
};

function typeOf({ name, kind, choices, type, orNull }) {
  const one = type ?? (choices ? union(choices) : typesOfKinds[kind]);
  if (!one) throw new Error(`options.json: ${name} has no known kind`);
  return orNull ? `${one} | null` : one;
}

const members = (rows) =>
  rows.map((row) => `  /** ${commentOf(row)} */\n  readonly ${row.name}?: ${typeOf(row)};`);

function records({ records: all }) {
  return Object.entries(all).map(([name, { description, fields }]) => {
    const [first, ...rest] = fields;
    return `/** ${description} */
export interface ${name} {
  readonly ${first.name}: ${typeOf(first)};
${members(rest).join('\n')}
}`;
  });
}

/** What checks and the command line need of a row. */
function checkedRow({ name, kind, least, most, orNull, choices, calls }) {
  const row = { name, kind, least, most, orNull, choices, calls };
  return `  ${literal(row)},`;
}

/** BW2L's beam search, of which one option has the name of a Whisper's. */
function beamOptions() {
  const { options: all } = readFacts('beam_options');
  return `/** Options of BW2L's beam search. */
export interface BeamOptionValues {
${members(all).join('\n')}
}

export interface BeamOptionRow {
  readonly name: keyof BeamOptionValues;
  readonly kind: 'number' | 'whole' | 'flag';
  readonly least?: number;
  readonly most?: number;
  readonly orNull?: boolean;
}

export const beamOptionRows: readonly BeamOptionRow[] = [
${all.map(checkedRow).join('\n')}
];
`;
}

function options() {
  const table = readFacts('options');
  const { options: all } = table;
  const of = (call) => all.filter(({ calls }) => calls.includes(call));
  const picked = (call) => `Pick<DecodeOptionValues, ${union(of(call).map(({ name }) => name))}>`;
  const only = all.filter(({ calls }) => !calls.includes('decode'));
  const tasks = all.find(({ name }) => name === 'task').choices;
  const temperatures = all.find(({ name }) => name === 'temperature').default;
  const [, weight] = table.records.Hotword.fields;
  return `/** \`'transcribe'\` writes what is said in its language, \`'translate'\` in English. */
export type Task = ${union(tasks)};

${records(table).join('\n\n')}

/** Options of one window. */
export interface DecodeOptionValues {
${members(of('decode')).join('\n')}
}

/** What concerns whole recordings. */
export interface RecordingOptionValues {
${members(only).join('\n')}
}

export type ScoreOptionValues = ${picked('score')};
export type AlignOptionValues = ${picked('align')};
export type DetectLanguageOptionValues = ${picked('detectLanguage')};

export type OptionCall = ${union([...new Set(all.flatMap(({ calls }) => calls))])};
export type OptionKind = ${union([...new Set(all.map(({ kind }) => kind))])};

/** An option as it is checked. */
export interface OptionRow {
  readonly name: string;
  readonly kind: OptionKind;
  readonly least?: number;
  /** A number, or the model's dimension of this name. */
  readonly most?: number | 'nTextCtx' | 'nAudioCtx';
  readonly orNull?: boolean;
  readonly choices?: readonly string[];
  /** The functions that take it. */
  readonly calls: readonly OptionCall[];
}

export const optionRows: readonly OptionRow[] = [
${all.map(checkedRow).join('\n')}
];

export const hotwordWeights = { least: ${weight.least}, most: ${weight.most} } as const;
export const defaultTemperatures: readonly number[] = ${literal(temperatures)};
`;
}

function cliOptions() {
  const { options: all } = readFacts('options');
  const texts = usageRows();
  // What is an option of Whisper too is read as that.
  const beam = readFacts('beam_options')
    .options.filter(({ name }) => !all.some((row) => row.name === name))
    .map((row) => ({ ...row, calls: ['transcribe'] }));
  const isBeam = ({ name }) => readFacts('beam_options').options.some((row) => row.name === name);
  const rows = [...all, ...beam].map((row) => {
    const { name, kind, orNull, cli = {} } = row;
    const calls = isBeam(row) ? [...row.calls, 'stream'] : row.calls;
    const style = cli.switch !== undefined ? 'switch' : cli.repeats ? 'repeated' : 'value';
    return `  ${literal({ option: cliName(row), name, kind, orNull, calls, style, turns: cli.switch })},`;
  });
  return `import type { OptionCall, OptionKind } from './options.js';

/** A function whose options the command line takes. */
export type CliCall = OptionCall | 'stream';

/** An option of the API as the command line takes it. */
export interface CliOption {
  readonly option: string;
  readonly name: string;
  readonly kind: OptionKind;
  readonly orNull?: boolean;
  readonly calls: readonly CliCall[];
  /** A switch has no value, and \`turns\` the option on or off; a repeated one makes a list. */
  readonly style: 'value' | 'switch' | 'repeated';
  readonly turns?: boolean;
}

export const cliOptions: readonly CliOption[] = [
${rows.join('\n')}
];

/** What the help says of each group of them: what an option is called and takes, and its text. */
export const optionUsage = {
${entries(Object.entries(texts).map(([group, usages]) => [group, literal(usages)]))}
} as const;
`;
}

const made = (table, text) => `// Made from scripts/facts/${table}.json.\n${text}`;

/** Path below web/src/api/generated → contents. */
export function typescriptFiles() {
  return {
    'errors.ts': made('errors', errors()),
    'dtypes.ts': made('dtypes', dtypes()),
    'file_marks.ts': made('file_kinds', fileMarks()),
    'formats.ts': made('formats', formats()),
    'languages.ts': made('languages', languages()),
    'whisper.ts': made('whisper', whisper()),
    'options.ts': made('options', options()),
    'beam_options.ts': made('beam_options', beamOptions()),
    'cli_options.ts': made('options', cliOptions()),
  };
}
