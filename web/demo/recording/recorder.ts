// Recording from the microphone.
import { joined } from '../../src/api/joined.js';
import { strings } from '../strings.js';
import { wavFile } from './wav_file.js';

/** A microphone that gives nothing for so long will give nothing. */
const patience = 4000;

/** A running recording from the microphone. */
export interface Recording {
  /** Ends it and gives what was heard. */
  stop(): Promise<File>;
}

/**
 * Starts recording at the microphone's own rate; the engine resamples. `onLevel` gets the peak (0 to 1) of each block.
 * Resolves when the first sound is there. Rejects when there is no microphone, the person says no, or no sound comes, as
 * from an audio context that the browser has suspended.
 */
export async function startRecording(onLevel: (peak: number) => void): Promise<Recording> {
  const media = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
  const context = new AudioContext();
  const blocks: Float32Array[] = [];
  const close = async () => {
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
    const began = new Promise<boolean>((done) => {
      setTimeout(() => done(false), patience);
      node.port.onmessage = ({ data }: MessageEvent<Float32Array>) => {
        blocks.push(data);
        onLevel(data.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0));
        done(true);
      };
    });
    source.connect(node);
    // Browsers suspend contexts that no click has asked for; the answer may never come.
    context.resume().catch(() => undefined);
    if (!(await began)) throw new Error(strings.recording.nothing);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async stop() {
      const { sampleRate } = context;
      await close();
      const samples = joined(blocks, Float32Array);
      return wavFile(samples, sampleRate, recordingName(new Date()));
    },
  };
}

/** Without a colon, which no file of Windows has in its name: "Recording at 16.55". */
function recordingName(now: Date): string {
  const [hours, minutes] = [now.getHours(), now.getMinutes()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return strings.recording.name(`${hours}.${minutes}`);
}
