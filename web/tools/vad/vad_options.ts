// What is taken for speech: checked options, and the defaults.
import type { VadOptions } from '../../src/api/types.js';
import { invalidOption } from '../../src/api/errors.js';
import { between, checkOptions, type Check, type Checks } from '../../src/api/options.js';
import { sampleRate } from '../../src/api/generated/whisper.js';
import { frameSamples, type SpeechLimits } from './speech_rules.js';

const mostSeconds = 3600;

/** Infinity becomes null where a transcription is saved. */
const maxSpeech: Check = [
  `a number of seconds from 0.1 to ${mostSeconds}, or null for no limit`,
  (value) => value === null || value === Infinity || between(0.1, mostSeconds)[1](value),
];

export const vadChecks: Checks = {
  threshold: [
    'a number above 0 and at most 1',
    (value) => typeof value === 'number' && value > 0 && value <= 1,
  ],
  negativeThreshold: between(0, 1),
  minSpeechDuration: between(0, mostSeconds),
  maxSpeechDuration: maxSpeech,
  minSilenceDuration: between(0, 60),
  speechPad: between(0, 10),
};

/** Defaults of each task, in seconds; `VadOptions` documents them. */
export const vadDefaults = {
  /** For susurrus/vad: those of Silero's own function. */
  detect: { minSpeechDuration: 0.25, minSilenceDuration: 0.1, speechPad: 0.03 },
  /**
   * Only long silence is skipped, and enough of it remains that no word is cut and windows can end in pauses.
   */
  transcribe: { minSpeechDuration: 0, minSilenceDuration: 2, speechPad: 0.4 },
  /** For live audio: an utterance ends at a short pause, so that its last words are final soon. */
  live: { minSpeechDuration: 0.1, minSilenceDuration: 0.5, speechPad: 0.25 },
} as const;

type VadDefaults = (typeof vadDefaults)[keyof typeof vadDefaults];

/** Checked options in samples. */
export function speechLimits(options: VadOptions, defaults: VadDefaults): SpeechLimits {
  checkOptions(options, vadChecks);
  const { threshold = 0.5 } = options;
  const { negativeThreshold = Math.max(threshold - 0.15, 0.01) } = options;
  if (negativeThreshold > threshold) {
    throw invalidOption(
      'negativeThreshold',
      `at most the threshold, ${threshold}`,
      negativeThreshold,
    );
  }
  const samples = (name: keyof VadDefaults): number =>
    sampleRate * (options[name] ?? defaults[name]);
  const pad = samples('speechPad');
  return {
    threshold,
    negativeThreshold,
    minSpeech: samples('minSpeechDuration'),
    maxSpeech: sampleRate * (options.maxSpeechDuration ?? Infinity) - frameSamples - 2 * pad,
    minSilence: samples('minSilenceDuration'),
    pad,
    sampleRate,
  };
}
