/** A recording as the page's browser decodes it: mono, 16 kHz. Rejects what is no audio that it knows. */
export async function recordedSamples(file: Blob): Promise<Float32Array> {
  const context = new OfflineAudioContext(1, 1, sampleRate);
  const audio = await context.decodeAudioData(await file.arrayBuffer());
  const mono = new Float32Array(audio.length);
  for (let channel = 0; channel < audio.numberOfChannels; ++channel) {
    for (const [i, sample] of audio.getChannelData(channel).entries()) {
      mono[i] = (mono[i] ?? 0) + sample / audio.numberOfChannels;
    }
  }
  return mono;
}

/** Sample rate of audio for networks, in Hz. */
export const sampleRate = 16000;
