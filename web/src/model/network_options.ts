// transcribe()'s options as models of other families than Whisper take them.
import type { ModelInfo, AnyTranscribeOptions } from '../api/types.js';
import { invalidOption } from '../api/errors.js';
import {
  checkObject,
  checkOptions,
  oneOf,
  progressCheck,
  signalCheck,
  workersCheck,
  type Check,
} from '../api/options.js';
import type { Settings } from '../protocol/engine.js';
import { beamChecks, checkNoBeamOptions } from './beam_options.js';
import { vadCheck } from './decoding_options.js';
import { languageCode } from './language_tag.js';
import { checkWhisper } from '../protocol/families.js';

export const frontEndCheck = oneOf('standard', 'april-asr-0.0.4');

const timestamps = oneOf('none', 'segment', 'word');
/** By family, besides the language. */
const known: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  transducer: { timestamps, frontEnd: frontEndCheck },
  acoustic: { timestamps, ...beamChecks },
};

/** Checked options; a family that is not known here checks its own. */
export function otherSettings(
  options: AnyTranscribeOptions,
  { family, languages }: ModelInfo,
): Settings {
  checkObject(options);
  const { signal, onProgress, vad, workers, ...settings } = options;
  checkOptions(
    { signal, onProgress, vad, workers },
    { signal: signalCheck, onProgress: progressCheck, vad: vadCheck, workers: workersCheck },
  );
  const skipping = vad ? { vad } : {};
  const own = known[family];
  if (!own) return { ...settings, ...skipping };
  const { language = 'auto', ...given } = settings;
  if (language !== 'auto' && languageCode(language, languages) === undefined) {
    throw invalidOption('language', ["'auto'", ...languages].join(' or '), language);
  }
  if (family !== 'acoustic') checkNoBeamOptions(given, family);
  for (const [name, value] of Object.entries(given as Readonly<Record<string, unknown>>)) {
    if (value !== undefined && !(name in own)) checkWhisper(family, `the option ${name}`);
  }
  checkOptions(given, own);
  return { ...given, ...skipping };
}
