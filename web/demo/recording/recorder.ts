// A recording from the microphone, at its own rate; the engine resamples.
import { listen, microphone, type StreamingModel } from '../../page/live.js';
import { KeptSound } from './kept_sound.js';
import { recordingName } from './recording_name.js';

export interface Recording {
  /** Seconds of sound that have come so far. */
  readonly seconds: number;
  /** Whether nothing but zeros has come: the microphone is muted, or not there. */
  readonly isSilent: boolean;
  /** Ends the recording and returns it; undefined if it is empty. */
  stop(): Promise<File | undefined>;
}

interface Callbacks {
  /** Called with the level of the latest audio, 0 to 1. */
  readonly onLevel: (level: number) => void;
  /** The microphone is gone, or the file is as large as a WAV file gets. */
  readonly onEnded: (why: 'lost' | 'full') => void;
}

/** Sizes in a WAV file have 32 bits. */
const mostBytes = 4e9;

/** Rejects with a SusurrusError when there is no microphone, or not this one, or the person says no. */
export async function startRecording(
  deviceId: string | undefined,
  { onLevel, onEnded }: Callbacks,
): Promise<Recording> {
  const sound = new KeptSound(mostBytes);
  let isSilent = true;
  const keeper: StreamingModel = {
    stream: ({ sampleRate = 0 } = {}) => ({
      lag: 0,
      feed(samples) {
        sound.add(samples, sampleRate);
        isSilent &&= samples.every((sample) => sample === 0);
        if (sound.isFull) onEnded('full');
        return Promise.resolve();
      },
      flush: () => Promise.resolve(),
      close: () => Promise.resolve(),
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ done: true, value: undefined }),
      }),
    }),
  };
  let isOpen = false;
  const listening = await new Promise<{ close(): Promise<void> }>((opened, refused) => {
    const chosen = deviceId === undefined ? {} : { deviceId };
    const started = listen(keeper, microphone({ noiseSuppression: true, ...chosen }), {
      onLevel,
      onState: ({ state, reason, error }) => {
        if (state === 'listening' || state === 'suspended') {
          isOpen = true;
          opened(started);
        } else if (state === 'ended' && isOpen && reason !== 'closed') onEnded('lost');
        else if (state === 'ended') refused(error instanceof Error ? error : new Error(reason));
      },
    });
  });
  return {
    get seconds() {
      return sound.seconds;
    },
    get isSilent() {
      return isSilent;
    },
    async stop() {
      await listening.close();
      return isSilent ? undefined : sound.file(recordingName(new Date()));
    },
  };
}
