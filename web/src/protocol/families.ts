import { fileEndings } from '../api/generated/formats.js';
import { SusurrusError } from '../api/errors.js';
import type { CommonFacts, NetworkFacts, WhisperFacts } from './engine.js';

export const isWhisper = (facts: CommonFacts): facts is WhisperFacts => facts.family === 'whisper';

export const isNetwork = (facts: CommonFacts): facts is NetworkFacts =>
  facts.family === 'transducer' || facts.family === 'acoustic';

const networkName = new RegExp(
  `\\.(${[...fileEndings.april, ...fileEndings.BW2L].join('|')})$`,
  'i',
);

/** Whether a file or URL is named like such a model; a guess before anything is read, since the bytes decide. */
export const isNamedLikeNetwork = (name: string): boolean =>
  networkName.test(name.replace(/[?#].*$/, ''));

/** Rejects a method or option that only Whisper models have; `what` is its name in the API. */
export function checkWhisper(family: string, what: string): void {
  if (family !== 'whisper') throw onlyOf('whisper', 'Whisper', family, what);
}

/** Rejects an option that only BW2L models have. */
export function checkAcoustic(family: string, what: string): void {
  if (family !== 'acoustic') throw onlyOf('acoustic', 'BW2L', family, what);
}

const onlyOf = (expected: string, name: string, got: string, subject: string): SusurrusError =>
  new SusurrusError('unsupported_feature', `Only ${name} models have ${subject}.`, {
    reason: 'model',
    subject,
    expected,
    got,
  });
