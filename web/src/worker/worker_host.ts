// Runs in the worker: requests in, answers and events out.
import { stoppedByClient, toErrorMessage } from '../api/errors.js';
import { freeBuffer, isTransferable, isWhole } from '../protocol/whole_buffers.js';
import type { CallTable, FileAddresses, FromWorker, Host, ToWorker } from '../protocol/link.js';

interface Port {
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
}

/** Answers the client's messages. */
export function createWorkerHost<Calls extends CallTable<Calls>, Event>(
  port: Port,
  host: Host<Calls, Event>,
): (message: ToWorker) => Promise<void> {
  const running = new Map<number, AbortController>();

  return async (message) => {
    if (message.type === 'abort') {
      running.get(message.id)?.abort(stoppedByClient());
      return;
    }
    if (message.type === 'open') return;
    const { id, name, request } = message;
    const controller = new AbortController();
    running.set(id, controller);
    const emit = (event: Event): void => port.postMessage({ type: 'event', id, event });
    try {
      // The client's types ensure that name and request match.
      const answer: unknown = await host.handle(
        name as keyof Calls & string,
        request,
        controller.signal,
        emit,
      );
      port.postMessage({ type: 'answer', id, answer }, transferables(answer));
    } catch (error) {
      port.postMessage({ type: 'error', id, error: toErrorMessage(error) });
    } finally {
      running.delete(id);
      if (host.spends?.has(name)) transferables(request).forEach(freeBuffer);
    }
  };
}

/** Answers the messages to the worker that runs this script. The host is made when the message `'open'` arrives. */
export function answerMessages<Calls extends CallTable<Calls>, Event>(
  open: (addresses: FileAddresses) => Host<Calls, Event>,
): void {
  let answer: ((message: ToWorker) => Promise<void>) | undefined;
  addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
    if (data.type === 'open') {
      answer = createWorkerHost(
        { postMessage: (message, transfer) => postMessage(message, { transfer: transfer ?? [] }) },
        open(data.addresses),
      );
    } else void answer?.(data);
  });
  // The request of an unreadable message is unknown; the client receives what is thrown here.
  addEventListener('messageerror', () => {
    throw new Error('it could not read a message');
  });
}

/** The whole arrays in a message. Those of an answer are transferred, not copied: the sender is done with them. */
export function transferables(message: unknown): ArrayBuffer[] {
  if (typeof message !== 'object' || message === null) return [];
  const values: readonly unknown[] = ArrayBuffer.isView(message)
    ? [message]
    : Object.values(message);
  return values.flatMap((value) =>
    ArrayBuffer.isView(value) && isWhole(value) && isTransferable(value.buffer)
      ? [value.buffer]
      : [],
  );
}
