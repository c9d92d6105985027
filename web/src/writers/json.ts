import { withReferenceNames } from './reference_names.js';
import type { TranscriptLike } from './transcript.js';

/** Fields that are floating-point numbers to the reference even where they are whole. */
const floatFields = new Set([
  'start',
  'end',
  'duration',
  'seconds',
  'language_probability',
  'temperature',
  'avg_logprob',
  'compression_ratio',
  'no_speech_prob',
  'probability',
  'token_probabilities',
]);

/** Every field of the transcript, in the reference's names and the notation of its JSON: ASCII in one line. */
export function writeJson(transcript: TranscriptLike): string {
  return written(withReferenceNames(transcript), false);
}

function written(value: unknown, isFloat: boolean): string {
  if (typeof value === 'number') return number(value, isFloat);
  if (typeof value === 'string') return ascii(value);
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map((each) => written(each, isFloat)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(([name, field]) => `${ascii(name)}: ${written(field, floatFields.has(name))}`);
  return `{${fields.join(', ')}}`;
}

/** Python's notation; a number that JSON has no notation for is null. */
function number(value: number, isFloat: boolean): string {
  if (!Number.isFinite(value)) return 'null';
  if (Number.isInteger(value) && !isFloat) return String(value);
  const size = Math.abs(value);
  if (value !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [mantissa = '', exponent = ''] = value.toExponential().split('e');
    const sign = exponent.startsWith('-') ? '-' : '+';
    return `${mantissa}e${sign}${exponent.slice(1).padStart(2, '0')}`;
  }
  return `${Object.is(value, -0) ? '-0' : value}${Number.isInteger(value) ? '.0' : ''}`;
}

function ascii(text: string): string {
  if (!/["\\]|[^ -~]/.test(text)) return `"${text}"`;
  return JSON.stringify(text).replaceAll(
    /[\x7f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
