import { wavFile } from './wav_file.js';
import { joined } from '../../src/api/joined.js';

/** A running recording from the microphone. */
export interface Recording {
  /** Ends it and gives what was heard. */
  stop(): Promise<File>;
}

/**
 * Starts recording at the microphone's own rate; the engine resamples. `onLevel` gets the peak (0 to 1) of each block.
 * Rejects when there is no microphone or the person says no.
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
    node.port.onmessage = ({ data }: MessageEvent<Float32Array>) => {
      blocks.push(data);
      onLevel(data.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0));
    };
    source.connect(node);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async stop() {
      const { sampleRate } = context;
      await close();
      const samples = joined(blocks, Float32Array);
      const now = new Date().toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
      return wavFile(samples, sampleRate, `Recording at ${now}`);
    },
  };
}
