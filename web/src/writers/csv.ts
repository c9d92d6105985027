import { withReferenceNames } from './reference_names.js';
import type { TranscriptLike } from './transcript.js';
import { strip } from './white_space.js';

const columns = [
  ...['start', 'end', 'text', 'language', 'decision', 'temperature'],
  ...['avg_logprob', 'no_speech_prob', 'compression_ratio'],
] as const;

/** Comma-separated values as RFC 4180 has them: times in seconds, empty where the transcript does not say. */
export function writeCsv(transcript: TranscriptLike): string {
  const rows = withReferenceNames(transcript).segments.map((segment) =>
    columns.map((column) => (column === 'text' ? strip(segment.text) : segment[column])),
  );
  return [columns, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
