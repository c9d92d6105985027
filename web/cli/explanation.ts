import type { Attempt, Segment, Transcript } from '../src/node.js';

/** What text was dropped and, with `hasRetries`, which windows took several attempts: a line each, with the reason. */
export function explain(result: Transcript, hasRetries: boolean): string {
  const lines = result.rejected.filter(({ text }) => text.trim()).map(droppedLine);
  if (hasRetries) {
    const windows = new Map(
      [...result.segments, ...result.rejected].map(({ seek, attempts }) => [seek, attempts]),
    );
    for (const [seek, attempts] of windows) {
      if (attempts.length > 1) lines.push(retriedLine(seek, attempts));
    }
  }
  return lines.map((line) => `susurrus: ${line}\n`).join('');
}

function droppedLine({ start, end, text, decision, noSpeechProb, avgLogprob }: Segment): string {
  const span = `${start.toFixed(2)}–${end.toFixed(2)} s`;
  const facts = `no-speech probability ${noSpeechProb.toFixed(2)}, mean log probability ${avgLogprob.toFixed(2)}`;
  return `${span}: ${decision} (${facts}): ${JSON.stringify(text.trim())}`;
}

function retriedLine(seek: number, attempts: readonly Attempt[]): string {
  const tries = attempts.map(({ temperature, decision }) => `${temperature} ${decision}`);
  return `window at ${(seek / 100).toFixed(2)} s: ${attempts.length} attempts: ${tries.join(', ')}`;
}
