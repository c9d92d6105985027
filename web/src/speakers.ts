/**
 * Who speaks when: the turns of a recording's speakers, and the speakers of a transcript's words.
 * @module susurrus/speakers
 */
import { browser } from './browser_platform.js';
import type {
  AudioInput,
  AudioStream,
  FindSpeakersOptions,
  FoundSpeakers,
  LoadSpeakerFinderOptions,
} from './api/types.js';
import { speakerFindingOn, type SpeakerFinder } from '../tools/speakers/speaker_finder.js';

export { SusurrusError } from './api/errors.js';
export type {
  AudioInput,
  AudioStream,
  FindSpeakersOptions,
  FoundSpeakers,
  KnownVoices,
  LoadSpeakerFinderOptions,
  Speaker,
  SpeakerCount,
  SpeakerOptions,
  SpeakerTurn,
} from './api/types.js';
export { formatTurns } from './writers/rttm.js';
export type {
  TranscriptOfWords,
  TranscriptWithSpeakers,
} from '../tools/speakers/assign_speakers.js';
export type {
  Attributed,
  AttributedSegment,
  ResultWithSpeakers,
} from '../tools/speakers/name_speakers.js';
export { assignSpeakers } from '../tools/speakers/assign_speakers.js';
export { identify, renameSpeakers } from '../tools/speakers/name_speakers.js';
export type { SpeakerFinder } from '../tools/speakers/speaker_finder.js';

const finding = speakerFindingOn(browser);

/**
 * Returns who speaks when in a recording, or in a stream until its end. It fetches two networks (9 MB), runs them in a worker and disposes
 * of them; loadSpeakerFinder() keeps them for many recordings. People who speak at the same time are both found.
 *
 * @returns The turns, in seconds, and how long each speaker speaks.
 * @throws SusurrusError `invalid_argument` for a wrong option; `malformed`, `unknown_format` or `unsupported_feature` for audio that cannot be
 *   decoded; `source_failed` where the networks' file is missing. An abort rejects with the signal's reason.
 * @example
 * ```js
 * const { turns, speakers } = await findSpeakers(file);
 * for (const { speaker, start, end } of turns) console.log(speaker, start, end);
 * ```
 */
export function findSpeakers(
  audio: AudioInput | AudioStream,
  options: FindSpeakersOptions = {},
): Promise<FoundSpeakers> {
  return finding.findSpeakers(audio, options);
}

/**
 * Loads the networks, for many recordings. Call `dispose()` on the finder when you no longer need it.
 *
 * @throws SusurrusError `invalid_argument` for a wrong option, `source_failed` where the networks' file is missing; `malformed`,
 *   `truncated_input`, `checksum_mismatch` or `unsupported_feature` for a file that is damaged, or no such networks. An abort rejects with the
 *   signal's reason.
 * @example
 * ```js
 * const finder = await loadSpeakerFinder();
 * const { speakers } = await finder.find(file, { count: 2 });
 * finder.dispose();
 * ```
 */
export function loadSpeakerFinder(options: LoadSpeakerFinderOptions = {}): Promise<SpeakerFinder> {
  return finding.loadSpeakerFinder(options);
}
