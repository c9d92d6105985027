// An option's description as the API's types, docs/api.md and the command line's help have it.
import { kebabCase, readFacts } from './read_facts.mjs';

const { options, groups, records } = readFacts('options');
const { options: beamOptions } = readFacts('beam_options');
const names = new Set([...options, ...beamOptions].map(({ name }) => name));
const unbounded = 1e9;

/** With a minus sign that does not break. */
const signed = (number) => String(number).replace('-', '−');

/** "0 to 1: " before what the option is; nothing where its bounds say little. */
function boundsOf({ kind, least, most }) {
  if (least === undefined || typeof most === 'string' || kind === 'times') return '';
  if (most >= unbounded) return '';
  return `${signed(least)} to ${signed(most)}`;
}

/** "1 to 16: sequences …", "0 to 1, or a list" */
const withBounds = (option, text) =>
  [boundsOf(option), filled(text)].filter(Boolean).join(text.startsWith('or ') ? ', ' : ': ');

/** {Hotword.weight} in a text is that number's bounds and default. */
const filled = (text) =>
  text.replaceAll(/\{(\w+)\.(\w+)\}/g, (_, record, name) => {
    const field = records[record].fields.find((each) => each.name === name);
    return `${boundsOf(field)} (${field.default})`;
  });

/** A default in words; `literal` makes a value of the language of it. */
function defaultOf({ default: value, defaultText }, literal) {
  if (defaultText !== undefined) return defaultText;
  if (value === undefined) return '';
  return literal(value);
}

const asLiteral = (value) =>
  typeof value === 'number'
    ? signed(value)
    : `\`${typeof value === 'string' ? `'${value}'` : value}\``;
const asWord = (value) => (value === null ? 'none' : String(value));

/** For a comment above the option's type. */
export function commentOf(option) {
  const otherwise = defaultOf(option, asLiteral);
  const text = withBounds(option, option.description);
  const whole = otherwise ? `${text}; ${otherwise} if absent.` : `${text}.`;
  return `${whole[0].toUpperCase()}${whole.slice(1)}`;
}

// ---------------------------------------------------------------------------------------------------------------------
// docs/api.md

function markdownTable(title, rows) {
  const lines = rows.map((option) => {
    const { name, description, docs = '' } = option;
    const text = withBounds(option, description) + docs;
    return `| \`${name}\` | ${defaultOf(option, asLiteral)} | ${text} |`;
  });
  return [`| ${title} | default | |`, '| - | - | - |', ...lines].join('\n');
}

const inGroup = (group) => options.filter((option) => option.group === group);

/** One table for each group of options. */
export const markdownTables = () =>
  Object.entries(groups)
    .map(([group, title]) => markdownTable(title, inGroup(group)))
    .join('\n\n');

/** The table of BW2L's beam search. */
export const beamTable = () => markdownTable('beam search', beamOptions);

// ---------------------------------------------------------------------------------------------------------------------
// The command line's help

/** Names of options and values as the command line spells them. */
const spelled = (text) =>
  text.replaceAll(/`([^`]*)`/g, (_, code) => {
    if (names.has(code)) return `--${kebabCase(code)}`;
    const [, option, value] = /^(\w+): '(.*)'$/.exec(code) ?? [];
    if (names.has(option)) return `--${kebabCase(option)} ${value}`;
    return code === 'null' ? 'none' : code.replaceAll("'", '');
  });

/** How the command line names an option: --no-break-loops turns off what is on. */
export function cliName({ name, cli }) {
  return cli?.option ?? `${cli?.switch === false ? 'no-' : ''}${kebabCase(name)}`;
}

function argumentOf({ kind, cli, choices }) {
  if (cli?.switch !== undefined) return '';
  if (choices) return cli?.isOptional ? ` [${choices.join('|')}]` : ` ${choices.join('|')}`;
  if (cli?.argument) return ` ${cli.argument}`;
  return ` ${{ flag: 'true|false', whole: 'N', number: 'X' }[kind] ?? 'VALUE'}`;
}

/** [what an option is called and takes, what the help says of it] */
function usageOf(option) {
  const { cli = {}, description } = option;
  const flag = `--${cliName(option)}${argumentOf(option)}`;
  const otherwise = cli.switch === undefined ? spelled(defaultOf(option, asWord)) : '';
  const text = withBounds(option, spelled(cli.text ?? description)).replaceAll('−', '-');
  const isSaid = cli.repeats || otherwise === '' || text.includes(`(${otherwise})`);
  return [flag, isSaid ? text : `${text} (${otherwise})`];
}

/** Group → what the help says of each of its options. */
export const usageRows = () => ({
  ...Object.fromEntries(Object.keys(groups).map((group) => [group, inGroup(group).map(usageOf)])),
  beam: beamOptions.map(usageOf),
});
