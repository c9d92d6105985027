import { invalidOption, renamed } from '../../src/api/errors.js';
import { checkOptions, oneOf, progressCheck, text } from '../../src/api/options.js';
import type { LiveEvent, RevisedText } from '../../src/api/types.js';
import type { TranscriptSegment } from '../../src/writers/transcript.js';
import { checkFormatOptions } from '../../src/writers/options.js';
import { trackMode, type TextTrackOptions } from '../text_track.js';
import { giveTrackBack, takeTrack, trackLanguage } from '../track_pool.js';
import { ElementSound } from './element_sound.js';
import { listenTo } from './listen.js';
import { LiveTrack } from './live_track.js';
import { MediaClock } from './media_clock.js';
import type { AudioSink } from './sound.js';
import type { Listening, ListenOptions, StreamingModel } from './types.js';

/** Options of attachLiveCaptions(): those of listen(), those of the track, and these. `language` is that of both. */
export interface LiveCaptionsOptions extends ListenOptions, Omit<TextTrackOptions, 'language'> {
  /** Called with each event, whose times are the stream's. If it throws, listening fails with that error. */
  readonly onEvent?: (event: LiveEvent) => void;
}

/** Captions that attachLiveCaptions() writes. */
export interface LiveCaptions {
  readonly track: TextTrack;
  readonly state: Listening['state'];
  readonly status: Listening['status'];
  readonly lag: number;
  /** Tries to go on after `'suspended'`; call it from a click. */
  resume(): Promise<void>;
  /** Ends listening. The captions stay. Never rejects: `status` has the error. */
  close(): Promise<void>;
  /** Begins close() without waiting for it, for `using`. */
  [Symbol.dispose](): void;
  /** Calls close(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
  /** Calls close() and removes the captions. */
  remove(): Promise<void>;
}

/**
 * Writes captions for a `<video>` or `<audio>` while it plays, also after seeking and at any speed. New text is shown at once, and
 * gets its real times afterwards.
 *
 * @throws SusurrusError `invalid_argument` for wrong options; `unsupported_feature` for a model that does not stream, and for options of other
 *   families; `unsupported_environment` for features that this browser lacks. Later errors are in `status`.
 * @example
 * ```js
 * const captions = attachLiveCaptions(video, model, { language: 'en' });
 * video.addEventListener('ended', () => void captions.close());
 * ```
 */
export function attachLiveCaptions(
  media: HTMLMediaElement,
  model: StreamingModel,
  options: LiveCaptionsOptions = {},
): LiveCaptions {
  if (!((media as unknown) instanceof HTMLMediaElement)) {
    throw invalidOption('media', 'a <video> or <audio> element', media);
  }
  const { label = 'Captions', kind = 'captions', mode = 'showing', onEvent, ...others } = options;
  const { maxLineWidth = 42, maxLineCount = 2, maxWordsPerLine, ...listenOptions } = others;
  checkOptions(
    { label, kind, mode, onEvent },
    { label: text, kind: oneOf('captions', 'subtitles'), mode: trackMode, onEvent: progressCheck },
  );
  const format = {
    maxLineWidth,
    maxLineCount,
    ...(maxWordsPerLine !== undefined && { maxWordsPerLine }),
  };
  checkFormatOptions(format);
  const clock = new MediaClock();
  const listening = listenTo(
    model,
    { begin: (assets) => new ElementSound(media, clock, assets) },
    listenOptions,
  );
  const track = takeTrack(media, { kind, label, language: trackLanguage(listenOptions.language) });
  track.mode = mode;
  const shown = new LiveTrack(media, track, format);
  const written = write(listening, clock, shown, onEvent);
  let isRemoved = false;
  const close = async (): Promise<void> => {
    await listening.close();
    await written;
  };
  const captions = {
    track,
    get state() {
      return listening.state;
    },
    get status() {
      return listening.status;
    },
    get lag() {
      return listening.lag;
    },
    resume: () => listening.resume(),
    close,
    [Symbol.dispose]: () => void close(),
    [Symbol.asyncDispose]: close,
    async remove() {
      await close();
      if (isRemoved) return;
      isRemoved = true;
      shown.clear();
      giveTrackBack(media, track);
    },
    // The name before 1.0.
    stop(): never {
      throw renamed('captions.stop', 'captions.close()');
    },
  };
  return captions;
}

/** Until the events end. Their failure is in the status. */
async function write(
  listening: Listening & Pick<AudioSink, 'fail'>,
  clock: MediaClock,
  shown: LiveTrack,
  onEvent: ((event: LiveEvent) => void) | undefined,
): Promise<void> {
  try {
    for await (const event of listening) {
      try {
        if (event.type === 'partial' || event.type === 'final') {
          shown.show(inMedia(event, clock), event.type === 'final' ? event.id : undefined);
        } else if (event.type === 'revised') {
          const segments = event.segments.map((segment) => inMedia(segment, clock));
          shown.revise(event.replaces, segments);
        }
        onEvent?.(event);
      } catch (error) {
        listening.fail(error);
      }
    }
  } catch {
    // The status has the error.
  }
}

/** With the times of the media. */
function inMedia({ text, words, start, end }: RevisedText, clock: MediaClock): TranscriptSegment {
  const time = (seconds: number): number => clock.mediaTime(seconds);
  const inOrder = (from: number, to: number) => ({ start: time(from), end: time(to) });
  return {
    text,
    ...inOrder(start, end),
    words: words.map((each) => ({ word: each.word, ...inOrder(each.start, each.end) })),
  };
}
