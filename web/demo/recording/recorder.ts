// A recording from the microphone, at its own rate; the engine resamples.
import { joined } from '../../src/api/joined.js';
import { recordingName } from './recording_name.js';
import { wavFile } from './wav_file.js';

export interface Recording {
  /** Seconds of sound that have come so far. */
  readonly seconds: number;
  /** Whether nothing but zeros has come: the microphone is muted, or not there. */
  readonly isSilent: boolean;
  /** Ends it and gives what was heard; undefined where nothing was. */
  stop(): Promise<File | undefined>;
}

interface Calls {
  /** The peak (0 to 1) of each block. */
  readonly onLevel: (peak: number) => void;
  /** The microphone is gone. */
  readonly onEnded: () => void;
}

/** Rejects when there is no microphone, or the person says no. */
export async function startRecording({ onLevel, onEnded }: Calls): Promise<Recording> {
  const media = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
  const context = new AudioContext();
  const blocks: Float32Array[] = [];
  let count = 0;
  let isSilent = true;
  // A page that nobody has touched yet is kept silent by the browser, and a call silences a telephone's.
  const wake = (): void => {
    if (context.state !== 'running' && context.state !== 'closed') {
      context.resume().catch(() => undefined);
    }
  };
  const close = async (): Promise<void> => {
    for (const track of media.getTracks()) track.stop();
    await context.close();
  };
  try {
    await context.audioWorklet.addModule(new URL('./capture_worklet.mjs', import.meta.url));
    const source = context.createMediaStreamSource(media);
    const node = new AudioWorkletNode(context, 'susurrus-capture', {
      numberOfOutputs: 0,
      channelCount: 1,
    });
    node.port.onmessage = ({ data }: MessageEvent<Float32Array>) => {
      blocks.push(data);
      count += data.length;
      const peak = data.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
      if (peak > 0) isSilent = false;
      onLevel(peak);
    };
    source.connect(node);
    context.addEventListener('statechange', wake);
    for (const track of media.getTracks()) track.addEventListener('ended', onEnded);
    wake();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    get seconds() {
      return count / context.sampleRate;
    },
    get isSilent() {
      return isSilent;
    },
    async stop() {
      const { sampleRate } = context;
      context.removeEventListener('statechange', wake);
      await close();
      if (isSilent) return undefined;
      return wavFile(joined(blocks, Float32Array), sampleRate, recordingName(new Date()));
    },
  };
}
