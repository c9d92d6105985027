// Flags of OpenAI's whisper and of whisper-ctranslate2 that have another name here.
import { usageError } from './usage_error.js';

interface Translation {
  /** Commands that take this option take the flag too. */
  readonly needs: string;
  /** The name of the option that takes the same value. */
  readonly option?: string;
  /** What true and false become. */
  readonly truth?: { readonly true: readonly string[]; readonly false: readonly string[] };
  /** What to do instead. */
  readonly advice?: string;
}

const translations: Readonly<Record<string, Translation>> = {
  'output-format': { needs: 'format', option: 'format' },
  'word-timestamps': {
    needs: 'timestamps',
    truth: { true: ['--timestamps', 'word'], false: [] },
  },
  'vad-filter': { needs: 'vad', truth: { true: ['--vad'], false: ['--no-vad'] } },
  'model-dir': {
    needs: 'model',
    advice:
      'downloaded models are kept in ~/.cache/susurrus: set XDG_CACHE_HOME to keep them elsewhere, or name a file with --model',
  },
  fp16: { needs: 'model' },
  device: { needs: 'model' },
};

/** The arguments with this command's names for them, and the flags that change nothing. */
export interface Translated {
  readonly args: readonly string[];
  readonly ignored: readonly string[];
}

/** Translates the flags that a command with these options takes; the others stay as they are. */
export function fromOpenAi(
  args: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Translated {
  const translated: string[] = [];
  const ignored: string[] = [];
  for (let at = 0; at < args.length; ++at) {
    const arg = args[at] ?? '';
    if (arg === '--') return { args: [...translated, ...args.slice(at)], ignored };
    const [, flag = '', assigned] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const name = flag.replaceAll('_', '-');
    const translation = Object.hasOwn(translations, name) ? translations[name] : undefined;
    if (!translation || !Object.hasOwn(options, translation.needs)) {
      translated.push(arg);
      continue;
    }
    const { option, truth, advice } = translation;
    if (advice !== undefined) throw usageError(`there is no --${name}: ${advice}`, name);
    if (option !== undefined) {
      translated.push(assigned === undefined ? `--${option}` : `--${option}=${assigned}`);
      continue;
    }
    const next = args[at + 1];
    if (truth) {
      const isNext = assigned === undefined && next !== undefined && /^(true|false)$/i.test(next);
      if (isNext) ++at;
      translated.push(...truth[asTruthWord(name, assigned ?? (isNext ? next : 'true'))]);
      continue;
    }
    ignored.push(`--${name}`);
    if (assigned === undefined && next !== undefined && !next.startsWith('-')) ++at;
  }
  return { args: translated, ignored };
}

function asTruthWord(name: string, text: string): 'true' | 'false' {
  const word = text.toLowerCase();
  if (word === 'true' || word === 'false') return word;
  throw usageError(`--${name} is true or false, not '${text}'`, name);
}

/** Both end a list of temperatures at 1. */
const highest = 1;

/** `--temperature_increment_on_fallback`: the temperatures from the first one to 1 in steps. */
export function temperatureList(first: string | undefined, increment: string): string {
  const option = 'temperature-increment-on-fallback';
  const [from, step] = [Number(first ?? '0'), Number(increment)];
  if (/^none$/i.test(increment)) return first ?? '0';
  if (Number.isNaN(from)) {
    throw usageError(`--${option} needs one --temperature, not the list '${first ?? ''}'`, option);
  }
  if (increment.trim() === '' || !(step > 0)) {
    throw usageError(`--${option} is a number above 0 or none, not '${increment}'`, option);
  }
  const count = Math.max(1, Math.min(100, Math.floor((highest - from) / step + 1e-6) + 1));
  const temperatures = Array.from({ length: count }, (_, i) => from + i * step);
  return temperatures.map((each) => Number(each.toFixed(6))).join();
}
