import { checkOptions, oneOf, text } from '../src/api/options.js';
import { invalidOption } from '../src/api/errors.js';
import type { Transcription } from '../src/api/types.js';
import type { Cue } from '../src/writers/cues.js';
import { checkFormatOptions, type FormatOptions } from '../src/writers/options.js';
import { subtitleCues } from '../src/writers/subtitle_cues.js';
import { checkTranscript, type TranscriptLike } from '../src/writers/transcript.js';
import { changeCues, escaped, giveTrackBack, takeTrack } from './track_pool.js';

/** Options of attachTextTrack(). */
export interface TextTrackOptions extends Pick<
  FormatOptions,
  'maxLineWidth' | 'maxLineCount' | 'maxWordsPerLine' | 'profile'
> {
  /** Its name in the player's menu. Default `'Captions'`. */
  readonly label?: string;
  /** Default: the transcript's. */
  readonly language?: string;
  /** Default `'captions'`. */
  readonly kind?: 'captions' | 'subtitles';
  /** As of a TextTrack: `'showing'` (the default), or `'disabled'` or `'hidden'` until the user chooses it. */
  readonly mode?: TextTrackMode;
}

/** @internal */
export const trackMode = oneOf('showing', 'hidden', 'disabled');

/** Captions that attachTextTrack() added. */
export interface AttachedTextTrack {
  readonly track: TextTrack;
  /**
   * Shows another transcript. Unchanged cues stay, so that they do not flicker.
   *
   * @throws SusurrusError `invalid_argument` for anything but a transcript.
   */
  update(transcript: TranscriptLike): void;
  /** Removes the captions. */
  remove(): void;
}

/**
 * Shows a transcript as captions of a `<video>` or `<audio>`. Segments of a running transcription appear as they are decoded; it continues
 * when the captions are removed.
 *
 * @throws SusurrusError `invalid_argument` for anything but a media element and a transcript, and for wrong options. Await the transcription itself
 *   for its errors.
 * @example
 * ```js
 * const captions = attachTextTrack(video, model.transcribe(video), { language: 'en' });
 * captions.track.mode = 'hidden';
 * ```
 */
export function attachTextTrack(
  media: HTMLMediaElement,
  transcript: TranscriptLike | Transcription,
  options: TextTrackOptions = {},
): AttachedTextTrack {
  if (!((media as unknown) instanceof HTMLMediaElement)) {
    throw invalidOption('media', 'a <video> or <audio> element', media);
  }
  const { label = 'Captions', language, kind = 'captions', mode = 'showing', ...format } = options;
  checkOptions(
    { label, language, kind, mode },
    { label: text, language: text, kind: oneOf('captions', 'subtitles'), mode: trackMode },
  );
  checkFormatOptions(format);
  const running = isTranscription(transcript) ? transcript : undefined;
  const first: unknown = running ? running.soFar : transcript;
  checkTranscript(first);

  const track = takeTrack(media, { kind, label, language: language ?? first.language ?? '' });
  track.mode = mode;
  let shown: (readonly [Cue, VTTCue])[] = [];
  let isRemoved = false;

  const update = (next: TranscriptLike): void => {
    if (isRemoved) return;
    checkTranscript(next);
    changeCues(track, () => {
      const wanted = [...subtitleCues(next, format)].filter(({ start, end }) => end > start);
      const differs = wanted.findIndex((cue, i) => !isSame(cue, shown[i]?.[0]));
      const kept = differs === -1 ? Math.min(wanted.length, shown.length) : differs;
      for (const [, cue] of shown.slice(kept)) track.removeCue(cue);
      shown = [
        ...shown.slice(0, kept),
        ...wanted.slice(kept).map((cue) => {
          const made = new VTTCue(cue.start / 1000, cue.end / 1000, escaped(cue.text));
          track.addCue(made);
          return [cue, made] as const;
        }),
      ];
    });
  };
  update(first);
  if (running) void follow(running, update);
  return {
    track,
    update,
    remove() {
      if (isRemoved) return;
      update({ segments: [] });
      isRemoved = true;
      giveTrackBack(media, track);
    },
  };
}

/** Leaving this loop would stop the transcription, so it runs to the end. Callers get errors by awaiting the transcription itself. */
async function follow(
  transcription: Transcription,
  update: (transcript: TranscriptLike) => void,
): Promise<void> {
  try {
    const segments = transcription[Symbol.asyncIterator]();
    while ((await segments.next()).done !== true) update(transcription.soFar);
  } catch {
    // The captions shown so far stay.
  }
}

const isTranscription = (value: unknown): value is Transcription =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

const isSame = (a: Cue, b: Cue | undefined): boolean =>
  a.start === b?.start && a.end === b.end && a.text === b.text;
