// The options of everything that listens as the command line spells them: as the reference's command does.
import { cliOptions } from '../src/api/generated/cli_options.js';
import type { CliCall } from '../src/api/generated/cli_options.js';
import type { OptionKind } from '../src/api/generated/options.js';
import type { Hotword } from '../src/node.js';
import { asNumber, asNumbers, asText, asTruth, orNone, usageError } from './arguments.js';
import type { Option, Reader } from './arguments.js';

const asOneOrMore = (text: string, option: string): number | number[] =>
  text.includes(',') ? asNumbers(text, option) : asNumber(text, option);

/** -1, a list, or nothing: the reference's word for suppressing nothing. */
const asTokens = (text: string, option: string): number | number[] =>
  text.trim() === '' ? [] : asOneOrMore(text, option);

const asTrimmed = (text: string): string => text.trim();

const asLanguages = (text: string): string[] => text.split(',').map(asTrimmed);

/** `TEXT` or `TEXT=WEIGHT`. */
function asHotword(text: string): Hotword {
  const [, before, weight] = /^(.*)=(-?\d+(?:\.\d+)?)$/s.exec(text) ?? [];
  return before === undefined ? { text } : { text: before, weight: Number(weight) };
}

const readers: Readonly<Record<OptionKind, Reader>> = {
  flag: asTruth,
  text: asText,
  choice: asText,
  number: asNumber,
  whole: asNumber,
  language: asTrimmed,
  languages: asLanguages,
  prompt: asText,
  suppressedTokens: asTokens,
  encoderContext: (text) => (Number.isNaN(Number.parseFloat(text)) ? text : Number(text)),
  temperatures: asOneOrMore,
  times: asNumbers,
  hotwords: asHotword,
  phrases: asText,
};

/** Options of transcribe() that streams of Whisper models have too. */
const liveToo = [
  'language',
  'languages',
  'script',
  'task',
  'initialPrompt',
  'hotwords',
  'conditionOnPreviousText',
];

const optionsOf = (call: CliCall) =>
  cliOptions.filter(
    ({ calls, name }) => calls.includes(call) || (call === 'stream' && liveToo.includes(name)),
  );

/** The names of liveToo on the command line. */
export const liveOptionNames: readonly string[] = cliOptions.flatMap(({ option, name }) =>
  liveToo.includes(name) ? [option] : [],
);

/** The options of a function, as parse() takes them. */
export const listeningArguments = (call: CliCall): Readonly<Record<string, Option>> =>
  Object.fromEntries(
    optionsOf(call).map(({ option, style }) => [
      option,
      {
        type: style === 'switch' ? 'boolean' : 'string',
        ...(style === 'repeated' && { multiple: true }),
      },
    ]),
  );

export const vadArguments = { vad: { type: 'boolean' }, 'no-vad': { type: 'boolean' } } as const;

/** Whether the voice detector is asked for; undefined where nothing is said. */
export function vadOption(
  values: Readonly<Partial<Record<keyof typeof vadArguments, boolean>>>,
): boolean | undefined {
  if (values.vad && values['no-vad']) throw usageError('--vad and --no-vad exclude each other');
  return values['no-vad'] ? false : values.vad;
}

/** Only what was given, under the API's names; whether it makes sense, the API says. */
export function listeningOptions(
  values: Readonly<Record<string, unknown>>,
  call: CliCall,
): Record<string, unknown> {
  const given = optionsOf(call).flatMap(({ option, name, kind, orNull, turns }) => {
    const value = values[option];
    const read = orNull ? orNone(readers[kind]) : readers[kind];
    if (typeof value === 'string') return [[name, read(value, option)] as const];
    if (Array.isArray(value)) {
      return [[name, value.map((text: string) => read(text, option))] as const];
    }
    return value === true ? [[name, turns] as const] : [];
  });
  return Object.fromEntries(given);
}
