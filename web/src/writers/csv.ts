import type { FormatOptions } from './options.js';
import { withReferenceNames } from './reference_names.js';
import type { TranscriptLike } from './transcript.js';
import { strip } from './white_space.js';

const columns = [
  'start',
  'end',
  'text',
  'language',
  'decision',
  'temperature',
  'avg_logprob',
  'no_speech_prob',
  'compression_ratio',
] as const;
/** Only where there are speakers. */
const lastColumn = 'speaker';

/** With one of these in front a spreadsheet takes the cell for a formula, and runs it. */
const formulaBeginning = /^[=+\-@\t\r]/;

/** Comma-separated values as RFC 4180 has them: times in seconds, empty where the transcript does not say. */
export function writeCsv(
  transcript: TranscriptLike,
  { escapeFormulas = false }: FormatOptions = {},
): string {
  const hasSpeakers = transcript.segments.some(({ speaker }) => speaker !== undefined);
  const shown = hasSpeakers ? [...columns, lastColumn] : columns;
  const rows = withReferenceNames(transcript).segments.map((segment) =>
    shown.map((column) => (column === 'text' ? strip(segment.text) : segment[column])),
  );
  const written = (value: unknown): string => cell(value, escapeFormulas);
  return [shown, ...rows].map((row) => `${row.map(written).join(',')}\r\n`).join('');
}

function cell(value: unknown, escapesFormulas: boolean): string {
  const given = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  // A number is none, also below 0.
  const isFormula = typeof value === 'string' && formulaBeginning.test(given);
  const text = escapesFormulas && isFormula ? `'${given}` : given;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
