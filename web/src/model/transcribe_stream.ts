import type { Model, Segment, AnyTranscribeOptions, Transcription } from '../api/types.js';

/**
 * A transcription to pipe audio through: `microphone.pipeThrough(new TranscribeStream(model))`. Takes 16 kHz mono samples, gives
 * segments as they are decoded, and takes no more audio than it needs for the next window. Cancelling the segments stops the work.
 */
export class TranscribeStream {
  readonly readable: ReadableStream<Segment>;
  readonly writable: WritableStream<Float32Array>;
  /** The whole of it, with `save()`, `pause()` and what else a transcription has. */
  readonly transcription: Transcription;

  constructor(model: Model, options: AnyTranscribeOptions = {}) {
    const { readable, writable } = new TransformStream<Float32Array, Float32Array>();
    this.writable = writable;
    this.transcription = model.transcribe(readable, options);
    // Whoever reads the segments hears of a failure; whoever gives audio does, too, where none was taken yet.
    this.transcription.catch((error: unknown) => {
      if (!readable.locked) void readable.cancel(error);
    });
    const segments = this.transcription[Symbol.asyncIterator]();
    this.readable = new ReadableStream<Segment>(
      {
        async pull(controller) {
          const next = await segments.next();
          if (next.done === true) controller.close();
          else controller.enqueue(next.value);
        },
        async cancel() {
          await segments.return?.();
        },
      },
      { highWaterMark: 0 },
    );
  }
}
