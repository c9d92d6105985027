// Transform streams that free their resources, however they end.
import { onAbort } from '../../src/api/signals.js';

/**
 * A TransformStream that calls `close` once it is over, also when it is aborted or cancelled, which few browsers report to a transformer. It
 * cannot be transferred.
 */
export function closingStream<In, Out>(
  { transform, flush }: Pick<Transformer<In, Out>, 'transform' | 'flush'>,
  close: () => void,
): TransformStream<In, Out> {
  let fail!: (reason: unknown) => void;
  const stream = new TransformStream<In, Out>({
    start: (controller) => (fail = (reason) => controller.error(reason)),
    ...(transform && { transform }),
    ...(flush && { flush }),
  });
  const writer = stream.writable.getWriter();
  const writable = new WritableStream<In>({
    start(controller) {
      writer.closed.then(close, (error: unknown) => {
        close();
        controller.error(error);
      });
      // At once: abort() is called only after the write under way, which may wait for a reader that has gone.
      const signal = controller.signal as AbortSignal | undefined; // Firefox has it from 100 on.
      onAbort(signal, () => {
        close();
        fail(signal?.reason);
      });
    },
    write: (samples) => writer.write(samples),
    close: () => writer.close(),
    abort: (reason) => writer.abort(reason),
  });
  return Object.defineProperty(stream, 'writable', { value: writable });
}
