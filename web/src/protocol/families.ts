import { SusurrusError } from '../api/errors.js';
import type { CommonFacts, WhisperFacts } from './engine.js';

export const isWhisper = (facts: CommonFacts): facts is WhisperFacts => facts.family === 'whisper';

/** Refuses what only a Whisper has; `what` as the API names it. */
export function checkWhisper(family: string, what: string): void {
  if (family === 'whisper') return;
  throw new SusurrusError('unsupported_feature', `Only Whisper models have ${what}.`, {
    reason: 'model',
    subject: what,
    expected: 'whisper',
    got: family,
  });
}
