// Options are checked once, before any work.
import type { DecodeOptions, LoadOptions, TranscribeOptions, Variant } from './api_types.js';
import type { DecodingSettings } from './engine/protocol.js';
import { invalidOption } from './errors.js';

type Checks = Readonly<
  Record<string, readonly [expected: string, accepts: (value: unknown) => boolean]>
>;

const isFunction = (value: unknown): boolean => typeof value === 'function';
const oneOf =
  (...choices: readonly unknown[]) =>
  (value: unknown): boolean =>
    choices.includes(value);

export const signalCheck = [
  'an AbortSignal',
  (value: unknown) =>
    typeof value === 'object' &&
    value !== null &&
    'aborted' in value &&
    'addEventListener' in value,
] as const;
export const progressCheck = ['a function', isFunction] as const;

/** Refuses what is no option or has no sense; an option that is undefined counts as absent. */
export function checkOptions(options: unknown, checks: Checks): void {
  if (typeof options !== 'object' || options === null) {
    throw invalidOption('options', 'an object', options);
  }
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) {
      throw invalidOption(
        name,
        `absent; the options here are ${Object.keys(checks).join(', ')}`,
        value,
      );
    }
    const [expected, accepts] = check;
    if (value !== undefined && !accepts(value)) throw invalidOption(name, expected, value);
  }
}

export function checkLoadOptions(options: LoadOptions): LoadOptions {
  checkOptions(options, {
    onProgress: progressCheck,
    signal: signalCheck,
    variant: ["'simd' or 'relaxed'", oneOf('simd' satisfies Variant, 'relaxed' satisfies Variant)],
  });
  return options;
}

/** Options of decode() and, with `isWhole`, of transcribe(). `languages`: what the model can be asked for. */
export function decodingSettings(
  options: DecodeOptions | TranscribeOptions,
  languages: readonly string[],
  isWhole: boolean,
): DecodingSettings {
  checkOptions(options, {
    language: [
      `'auto' or one of the model's languages (${languages.slice(0, 8).join(', ')}${languages.length > 8 ? ', …' : ''})`,
      oneOf('auto', ...languages),
    ],
    timestamps: ["'segment' or 'none'", oneOf('segment', 'none')],
    temperature: ['0', oneOf(0)],
    compatibility: ["'openai'", oneOf('openai')],
    signal: signalCheck,
    ...(isWhole && { onProgress: progressCheck }),
  });
  return {
    language: options.language ?? 'auto',
    timestamps: (options.timestamps ?? 'segment') === 'segment',
  };
}
