import type { WhisperModel } from '../../web/src/api/types.js';

/** Audio states of a fixed log-mel and the logits after them: they depend on every weight. Disposes of the model. */
export async function fingerprint(loading: Promise<WhisperModel>): Promise<number[]> {
  const model = await loading;
  try {
    const { nMels, nAudioCtx } = model.info.dims;
    const nFrames = 2 * nAudioCtx;
    const data = Float32Array.from({ length: nMels * nFrames }, (_, i) => Math.sin(i));
    const states = await model.encode({ data, nMels, nFrames });
    return [...states, ...(await model.logits([29, 30, 32, 36]))];
  } finally {
    model.dispose();
  }
}
