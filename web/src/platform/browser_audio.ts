// The decoder of last resort in a page: decodeAudioData(), which gives a whole recording at once.
import { SusurrusError, sourceFailed } from '../api/errors.js';
import { throwIfAborted } from '../api/signals.js';
import type { AudioFileFacts, EncodedFile } from '../protocol/audio.js';
import type { DecodedAudio } from './platform.js';

/** The result's rate is that of the context; 48 kHz keeps what speech has. */
const decodedRate = 48000;
/** The browser needs several times this while it decodes: 45 minutes of mono sound, 22 of stereo. */
export const mostDecodedBytes = 1 << 29;
/** Estimate for files of an unknown container: speech at 64 kbit/s grows this many times when decoded to stereo floats. */
const usualGrowth = 48;

export async function decodeWholeFile(
  file: EncodedFile,
  facts: AudioFileFacts | undefined,
  signal: AbortSignal | undefined,
): Promise<DecodedAudio> {
  if (file.size === 0) throw sourceFailed('audio', 'the file is empty');
  const what = [facts?.format, facts?.codec].filter(Boolean).join(' with ');
  if (typeof OfflineAudioContext === 'undefined') {
    throw sourceFailed(
      'audio',
      `this browser cannot decode ${what || 'such files'} in a worker; decode it in the page, or give WAV or samples`,
    );
  }
  refuseTooLong(file, facts);
  const encoded = await file.slice(0, file.size).arrayBuffer();
  throwIfAborted(signal);
  const context = new OfflineAudioContext(1, 1, decodedRate);
  try {
    const buffer = await context.decodeAudioData(encoded);
    const channels = Array.from({ length: buffer.numberOfChannels }, (_, i) =>
      buffer.getChannelData(i),
    );
    return { channels, sampleRate: buffer.sampleRate };
  } catch (error) {
    const details = what === '' ? {} : { got: what };
    throw sourceFailed(
      'audio',
      'this is no audio file that the browser can decode',
      details,
      error,
    );
  }
}

/** From what the container says, or from the file's size. */
function refuseTooLong({ size }: EncodedFile, facts: AudioFileFacts | undefined): void {
  const { duration, channels = 2 } = facts ?? {};
  const bytes = duration === undefined ? size * usualGrowth : duration * decodedRate * channels * 4;
  if (bytes <= mostDecodedBytes) return;
  const length =
    duration === undefined
      ? `${Math.round(size / 1e6)} MB`
      : `${(duration / 60).toFixed(0)} minutes`;
  throw new SusurrusError(
    'limit_exceeded',
    `This recording (${length}) is too long for this browser, which can only decode it as a whole: about ` +
      `${Math.round(bytes / 2 ** 20)} MiB of samples. Cut it into parts, or convert it to WAV, MP3 or FLAC.`,
    {
      reason: 'limit',
      subject: 'audio',
      expected: `at most ${mostDecodedBytes} bytes`,
      got: `${Math.round(bytes)} bytes`,
    },
  );
}
