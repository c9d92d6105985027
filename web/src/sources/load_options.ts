// The options of loadModel(), which plan() takes too.
import {
  filterbankCheck,
  flag,
  oneOf,
  orAuto,
  progressCheck,
  rankFile,
  textFile,
  signalCheck,
  wholeBetween,
  workersCheck,
  type Check,
} from '../api/options.js';
import type { ModelFamily, Variant } from '../api/types.js';
import { mostThreads } from '../platform/threads.js';
import { cryptoOptionChecks } from './crypto_options.js';
import { hubOptionChecks } from './model_name.js';

/** Modules of other frames of a page are of another class. */
const moduleCheck: Check = [
  'a WebAssembly.Module',
  (value) => Object.prototype.toString.call(value) === '[object WebAssembly.Module]',
];

const families = ['whisper', 'transducer', 'acoustic'] satisfies ModelFamily[];

/** Timers have 31 bits for milliseconds. */
const mostSleepSeconds = 2_000_000;

export const loadOptionChecks = {
  early: flag,
  family: oneOf(...families),
  onProgress: progressCheck,
  signal: signalCheck,
  variant: oneOf('simd' satisfies Variant, 'relaxed' satisfies Variant),
  autoSleep: [
    `a number of seconds above 0 and up to ${mostSleepSeconds}`,
    (value) => typeof value === 'number' && value > 0 && value <= mostSleepSeconds,
  ],
  threads: orAuto(wholeBetween(1, mostThreads)),
  workers: workersCheck,
  vocabulary: rankFile,
  lexicon: textFile,
  languageModel: textFile,
  filterbank: filterbankCheck,
  module: moduleCheck,
  assets: ['{ base }', (value) => typeof value === 'object' && value !== null],
  cache: ["true, false or 'only'", (value) => typeof value === 'boolean' || value === 'only'],
  ...hubOptionChecks,
  ...cryptoOptionChecks,
} satisfies Record<string, Check>;
