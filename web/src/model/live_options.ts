// The options of stream(), by family.
import { defaultTemperatures } from '../api/generated/options.js';
import type { AnyLiveOptions, ModelInfo, VadOptions, WhisperInfo } from '../api/types.js';
import {
  between,
  checkObject,
  checkOptions,
  flag,
  oneOf,
  orNull,
  signalCheck,
  type Checks,
} from '../api/options.js';
import type { LiveSettings, Settings } from '../protocol/engine.js';
import { checkWhisper } from '../protocol/families.js';
import { beamChecks, checkNoBeamOptions } from './beam_options.js';
import { checkKnowsChinese, scriptCheck } from './chinese_script.js';
import {
  liveDecodingChecks,
  liveDecodingNames,
  liveDecodingSettings,
  vadCheck,
} from './decoding_options.js';
import { frontEndCheck } from './network_options.js';

/** Options of every family. */
const commonChecks: Checks = {
  sampleRate: [
    'a number from 1000 to 768000',
    (value) => typeof value === 'number' && value >= 1000 && value <= 768000,
  ],
  signal: signalCheck,
  onLag: ['a function', (value) => typeof value === 'function'],
  maxLag: orNull(between(1, 3600)),
  vad: vadCheck,
  speakers: [
    'true, false, or { count }, { min, max }',
    (value) => typeof value === 'boolean' || (typeof value === 'object' && value !== null),
  ],
};

/** Options of Whisper models, besides those of decoding. */
const hearingChecks: Checks = {
  script: scriptCheck,
  policy: oneOf('attention', 'agreement'),
  step: between(0.2, 10),
  revise: flag,
};

/** Checked options: what the engine gets. */
export function liveSettings(options: AnyLiveOptions, info: ModelInfo): LiveSettings {
  checkObject(options);
  if (info.family !== 'whisper') return networkSettings(options, info.family);
  checkNoBeamOptions(options, info.family);
  checkOptions(options, { ...commonChecks, ...hearingChecks, ...liveDecodingChecks(info) });
  checkKnowsChinese(options.script, info.languages);
  const { policy, step, ...others } = options;
  return {
    ...(policy && { policy }),
    ...(step !== undefined && { step }),
    decode: liveDecodingSettings(others, info),
  };
}

/** What transcribe() gets to hear the sound of a stream with these checked options again. */
export const secondSettings = (options: AnyLiveOptions, info: WhisperInfo): Settings => ({
  ...liveDecodingSettings(options, info),
  timestamps: 'word',
  temperature: defaultTemperatures,
});

/** The detector's limits then: its pauses are those of recordings. */
export const secondVad = ({ vad }: AnyLiveOptions): VadOptions => {
  const { threshold, negativeThreshold } = typeof vad === 'object' ? vad : {};
  return {
    ...(threshold !== undefined && { threshold }),
    ...(negativeThreshold !== undefined && { negativeThreshold }),
  };
};

function networkSettings(options: AnyLiveOptions, family: string): LiveSettings {
  for (const name of [...Object.keys(hearingChecks), ...liveDecodingNames]) {
    if (Reflect.get(options, name) !== undefined) {
      checkWhisper(family, `the option ${name} of stream()`);
    }
  }
  checkOptions(options, { ...commonChecks, frontEnd: frontEndCheck, ...beamChecks });
  return Object.fromEntries(
    Object.entries(options).filter(([name]) => !Object.hasOwn(commonChecks, name)),
  );
}
