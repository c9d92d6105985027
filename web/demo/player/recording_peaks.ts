// The outline of a recording, made while the page does other things: never more than a slice of it is in memory.
import { browser } from '../../src/browser_platform.js';
import { Peaks } from './peaks.js';
import { wavPieces, type SamplePiece } from './wav_pieces.js';

/** What only the browser's own decoder knows is decoded as a whole, up to this size. */
const mostBytesAtOnce = 12 << 20;

/** Milliseconds between two pictures of an outline that grows. */
const betweenPictures = 250;

/** Calls `onPeaks` as it grows. Ends quietly where the recording cannot be decoded: it then has no outline. */
export async function outline(
  file: Blob,
  signal: AbortSignal,
  onPeaks: (peaks: Peaks) => void,
): Promise<void> {
  let peaks: Peaks | undefined;
  let told = -Infinity;
  try {
    for await (const { samples, sampleRate, channels } of piecesOf(file, signal)) {
      if (signal.aborted) return;
      peaks ??= new Peaks(sampleRate);
      peaks.add(samples, sampleRate, channels);
      if (performance.now() - told < betweenPictures) continue;
      told = performance.now();
      onPeaks(peaks);
    }
  } catch {
    // The player says what cannot be played; an outline is no more than a help.
  }
  if (peaks && !signal.aborted) onPeaks(peaks);
}

async function* piecesOf(file: Blob, signal: AbortSignal): AsyncGenerator<SamplePiece> {
  const plain = await wavPieces(file);
  if (plain) {
    yield* plain;
    return;
  }
  const link = browser.openAudio();
  try {
    const opened = await link.call('open', { file }, { signal });
    if (opened.isDecoded) {
      let spent: Float32Array | undefined;
      for (;;) {
        const piece = await link.call('read', { spent }, { signal, givesAway: true });
        if (piece.samples.length === 0) return;
        yield piece;
        spent = piece.samples;
      }
    }
  } finally {
    link.close();
  }
  if (file.size <= mostBytesAtOnce) yield* decodedAtOnce(file);
}

async function* decodedAtOnce(file: Blob): AsyncGenerator<SamplePiece> {
  const sampleRate = 16_000;
  const context = new OfflineAudioContext(1, 1, sampleRate);
  const audio = await context.decodeAudioData(await file.arrayBuffer());
  const atOnce = sampleRate * 60;
  for (let channel = 0; channel < Math.min(1, audio.numberOfChannels); ++channel) {
    const samples = audio.getChannelData(channel);
    for (let at = 0; at < samples.length; at += atOnce) {
      yield { samples: samples.subarray(at, at + atOnce), sampleRate, channels: 1 };
      // A turn for the page.
      await new Promise((done) => setTimeout(done));
    }
  }
}
