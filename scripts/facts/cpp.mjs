// The tables as the core includes them: "facts/NAME", below build/generated.
import { camelCase, oneOf, readFacts, snakeCase, upperCamelCase } from './read_facts.mjs';

const quoted = (text) => JSON.stringify(text);
const lines = (rows) => `${rows.join('\n')}\n`;

/** What `fill` makes of each of the file kinds' advice: {name} stands for one of the common texts. */
function filled(text, common) {
  return text.replaceAll(/\{(\w+)\}/g, (_, name) => filled(common[name], common));
}

/** Every mark of every kind. */
export const fileMarksOf = ({ kinds }) =>
  kinds.flatMap(({ name, class: kindClass, family, marks = [] }) =>
    marks.map((mark) => ({
      ...{ kind: name, kindClass, family, at: 0 },
      ...(typeof mark === 'string' ? { bytes: mark } : mark),
    })),
  );

/** The advice of a file kind, in full. */
export const adviceOf = ({ advice = '' }, { advice: common }) => filled(advice, common);

function errorCodes() {
  return readFacts('errors').codes.map(
    ({ name, number, meaning }) => `SUSURRUS_ERROR(${name}, ${number}, ${quoted(meaning)})`,
  );
}

function fileKinds() {
  const table = readFacts('file_kinds');
  return table.kinds.map(
    (kind) =>
      `SUSURRUS_FILE_KIND(${kind.name}, ${kind.class}, ${quoted(kind.what)}, ${quoted(adviceOf(kind, table))})`,
  );
}

/** A C++ literal with one character a byte; octal escapes end after three digits, whatever follows. */
const bytesLiteral = (bytes) =>
  `"${bytes.replaceAll(/[^ !#-[\]-~]/g, (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`)}"sv`;

function fileMarks() {
  return fileMarksOf(readFacts('file_kinds')).map(
    ({ kind, at, bytes }) => `SUSURRUS_FILE_MARK(${at}, ${bytesLiteral(bytes)}, ${kind})`,
  );
}

function dtypes() {
  return readFacts('dtypes').dtypes.map(
    ({ name, number, elementsPerBlock, bytesPerBlock, isWeight = false, description }) =>
      `SUSURRUS_DTYPE(${name}, ${number}, ${elementsPerBlock}, ${bytesPerBlock}, ${isWeight})  // ${description}`,
  );
}

function ggmlTypes() {
  const { dtypes: all, ggmlOnly } = readFacts('dtypes');
  return [
    ...all
      .filter(({ ggml }) => ggml)
      .map(
        ({ name, ggml }) =>
          `SUSURRUS_GGML_TYPE(${ggml.type}, ${quoted(ggml.name)}, Dtype::${name}, ${ggml.fileType ?? -1})`,
      ),
    ...ggmlOnly.map(
      ({ name, type }) => `SUSURRUS_GGML_TYPE(${type}, ${quoted(name)}, std::nullopt, -1)`,
    ),
  ];
}

/** Names of the types, as a phrase for messages. */
function dtypeNames() {
  const weights = readFacts('dtypes').dtypes.filter(({ isWeight, ggml }) => isWeight && ggml);
  const inFiles = weights.filter(({ ggml }) => ggml.fileType !== undefined);
  return [
    `#define SUSURRUS_GGML_WEIGHT_TYPES ${quoted(oneOf(weights.map(({ ggml }) => ggml.name)))}`,
    `#define SUSURRUS_GGML_FILE_DTYPES ${quoted(oneOf(inFiles.map(({ name }) => name)))}`,
  ];
}

function languages() {
  return readFacts('languages').languages.map(({ code }) => `SUSURRUS_LANGUAGE(${quoted(code)})`);
}

/** Ascending by name. */
function languageNames() {
  return readFacts('languages')
    .languages.flatMap(({ code, name, otherNames = [] }) =>
      [name, ...otherNames].map((each) => [each, code]),
    )
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, code]) => `SUSURRUS_LANGUAGE_NAME(${quoted(name)}, ${quoted(code)})`);
}

function dimensions() {
  return readFacts('whisper').dimensions.map(
    ({ name, description }) =>
      `SUSURRUS_DIMENSION(${name}, ${quoted(camelCase(name))})  // ${description}`,
  );
}

const storedDimensions = () =>
  readFacts('whisper').checkpointOrder.map((name) => `SUSURRUS_DIMENSION(${name})`);

function whisperConstants() {
  return [
    '#pragma once',
    '#include <cstdint>',
    '',
    'namespace susurrus {',
    ...readFacts('whisper').constants.flatMap(({ name, value, description }) => [
      '',
      `/// ${description}`,
      `inline constexpr uint32_t k${upperCamelCase(name)} = ${value};`,
    ]),
    '',
    '}  // namespace susurrus',
  ];
}

// ---------------------------------------------------------------------------------------------------------------------
// Options

const isNumeric = ({ kind }) => kind === 'number' || kind === 'whole';
/** What the core can know of an upper bound that is a model's: dimensions in files are counted in 16 bits at the most. */
const mostOf = ({ most }) => (typeof most === 'number' ? most : 65535);
const rangeName = ({ name }) => `ranges::k${upperCamelCase(name)}`;

/** A range's bounds in words, as both sides' messages have them. */
export const rangeText = (option) => `${option.least} to ${mostOf(option)}`;

const rangeLiteral = (option) =>
  `{${option.least}, ${mostOf(option)}, ${quoted(rangeText(option))}}`;

/** The rows of the options that the core knows. */
function coreOptions() {
  const { options, records } = readFacts('options');
  return { options: options.filter(({ engine }) => engine !== false), records };
}

/** Which structure of session/decode_options.h has the option's field. */
function structOf({ cppStruct, calls }) {
  return cppStruct ?? (calls.includes('decode') ? 'decode' : 'recording');
}

function cppType({ kind, most, cppType: given }) {
  if (given) return given;
  if (kind === 'flag') return 'bool';
  if (kind === 'text') return 'std::string';
  if (kind === 'number') return 'double';
  return typeof most === 'number' && most > 0xffffffff ? 'uint64_t' : 'uint32_t';
}

function cppValue({ default: value, cppType: given }) {
  if (typeof value === 'string') return ` = ${quoted(value)}`;
  if (value === null) return ' = {}';
  return ` = ${value}${given === 'float' && !Number.isInteger(value) ? 'f' : ''}`;
}

/** Options whose reading and field follow from their rows; the others have a function in session/options_json.cc. */
const isPlain = (option) =>
  !option.cppReader && (isNumeric(option) || ['flag', 'text'].includes(option.kind));

/** Members of a structure, with their defaults. */
const fieldsOf = (options) =>
  options.flatMap((option) => [
    `/// ${option.description}`,
    option.orNull
      ? `std::optional<${cppType(option)}> ${snakeCase(option.name)}${cppValue(option)};`
      : `${cppType(option)} ${snakeCase(option.name)}${cppValue(option)};`,
  ]);

const fields = (struct) =>
  fieldsOf(
    coreOptions().options.filter((option) => isPlain(option) && structOf(option) === struct),
  );

function ranges() {
  const { options, records } = coreOptions();
  const items = Object.entries(records).flatMap(([record, { fields: all }]) =>
    all.map((field) => ({ ...field, name: `${record}_${field.name}` })),
  );
  return [...options, ...items]
    .filter(({ least }) => least !== undefined)
    .map(
      (option) =>
        `inline constexpr NumberRange k${upperCamelCase(option.name)}${rangeLiteral(option)};`,
    );
}

/** Defaults of what is no plain member. */
function defaults() {
  const { options, records } = coreOptions();
  const { default: temperatures } = options.find(({ name }) => name === 'temperature');
  const { default: weight } = records.Hotword.fields.find(({ name }) => name === 'weight');
  return [
    `#define SUSURRUS_DEFAULT_TEMPERATURES {${temperatures.join(', ')}}`,
    `inline constexpr float kDefaultHotwordWeight = ${weight};`,
  ];
}

/** How each option is read: NUMBER has a range, VALUE is true or false or a text, SPECIAL a function of its own. */
function optionRows(options, rangeOf = rangeName) {
  const macros = ['NUMBER', 'VALUE', 'SPECIAL'].map((kind) => `SUSURRUS_OPTION_${kind}`);
  const rows = options.map((option) => {
    const { name, cppReader } = option;
    const field = snakeCase(name);
    if (!isPlain(option)) {
      return `${macros[2]}(${quoted(name)}, ${cppReader ?? `read_${field}`})`;
    }
    return isNumeric(option)
      ? `${macros[0]}(${quoted(name)}, ${field}, ${rangeOf(option)})`
      : `${macros[1]}(${quoted(name)}, ${field})`;
  });
  return [
    '// Define the macros that are wanted; the others say nothing, and all are undefined at the end.',
    ...macros.flatMap((macro) => [`#ifndef ${macro}`, `#define ${macro}(...)`, '#endif']),
    ...rows,
    ...macros.map((macro) => `#undef ${macro}`),
  ];
}

const made = (table, rows) => `// Made from scripts/facts/${table}.json.\n${lines(rows)}`;

const optionFile = (isSelected) =>
  made('options', optionRows(coreOptions().options.filter(isSelected)));

/** Path below build/generated → contents. */
export function cppFiles() {
  const { options: beam } = readFacts('beam_options');
  const reasons = readFacts('errors').reasons.map((name) => `SUSURRUS_REASON(${name})`);
  return {
    'facts/error_codes.inc': made('errors', errorCodes()),
    'facts/error_reasons.inc': made('errors', reasons),
    'facts/file_kinds.inc': made('file_kinds', fileKinds()),
    'facts/file_marks.inc': made('file_kinds', fileMarks()),
    'facts/dtypes.inc': made('dtypes', dtypes()),
    'facts/ggml_types.inc': made('dtypes', ggmlTypes()),
    'facts/dtype_names.inc': made('dtypes', dtypeNames()),
    'facts/languages.inc': made('languages', languages()),
    'facts/language_names.inc': made('languages', languageNames()),
    'facts/whisper_dimensions.inc': made('whisper', dimensions()),
    'facts/stored_dimensions.inc': made('whisper', storedDimensions()),
    'facts/whisper.h': made('whisper', whisperConstants()),
    'facts/option_ranges.inc': made('options', ranges()),
    'facts/option_defaults.inc': made('options', defaults()),
    'facts/decode_fields.inc': made('options', fields('decode')),
    'facts/fallback_fields.inc': made('options', fields('fallback')),
    'facts/recording_fields.inc': made('options', fields('recording')),
    'facts/decode_options.inc': optionFile((option) => structOf(option) === 'decode'),
    'facts/fallback_options.inc': optionFile((option) => structOf(option) === 'fallback'),
    'facts/window_options.inc': optionFile(
      (option) => structOf(option) === 'recording' && option.calls.includes('decode'),
    ),
    'facts/beam_fields.inc': made('beam_options', fieldsOf(beam)),
    'facts/beam_options.inc': made(
      'beam_options',
      optionRows(beam, (option) => `(NumberRange${rangeLiteral(option)})`),
    ),
    'facts/recording_options.inc': optionFile(({ calls }) => !calls.includes('decode')),
  };
}
