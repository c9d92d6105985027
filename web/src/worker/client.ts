import { disposedDuringWork, fromErrorMessage, SusurrusError, wrongState } from '../api/errors.js';
import { copiedAtOnce, copyInSteps } from '../wasm/steps.js';
import { YieldController } from '../wasm/yield_controller.js';
import { notCloneable } from './not_cloneable.js';
import { isTransferable, isWhole } from '../protocol/whole_buffers.js';
import type { CallOptions, CallTable, FromWorker, Link, ToWorker } from '../protocol/link.js';

interface Waiting<Event> {
  readonly done: (answer: never) => void;
  readonly failed: (error: unknown) => void;
  readonly options: CallOptions<Event>;
}

/** Firefox ends a worker that only its own listeners know, even while the worker waits for its file system: calls would never end. */
const atWork = new Set<Worker>();

/** A module in a worker. `whyItFailed` makes the error for an event of the worker. */
export function openWorker<Calls extends CallTable<Calls>, Event>(
  worker: Worker,
  whyItFailed: (event: ErrorEvent) => Promise<SusurrusError>,
): Link<Calls, Event> {
  const waiting = new Map<number, Waiting<Event>>();
  let nextId = 0;
  let isClosed = false;
  let failure: SusurrusError | undefined;

  const hold = (id: number, call: Waiting<Event>): void => {
    waiting.set(id, call);
    atWork.add(worker);
  };
  const letGo = (id: number): void => {
    waiting.delete(id);
    if (waiting.size === 0) atWork.delete(worker);
  };

  const post = (message: ToWorker, transfer: Transferable[] = []): void =>
    worker.postMessage(message, transfer);

  worker.onmessage = ({ data }: MessageEvent<FromWorker<Event>>) => {
    const call = waiting.get(data.id);
    if (!call) return;
    if (data.type === 'event') {
      if (!call.options.signal?.aborted) call.options.onEvent?.(data.event);
      return;
    }
    letGo(data.id);
    const { signal } = call.options;
    if (data.type === 'answer') call.done(data.answer as never);
    else if (data.error.code === 'aborted' && signal?.aborted) call.failed(signal.reason);
    else call.failed(fromErrorMessage(data.error));
  };
  worker.onerror = (event) => {
    event.preventDefault();
    void whyItFailed(event).then((error) => {
      failure ??= error;
      fail(failure);
    });
  };
  // The request of an unreadable answer is unknown, so all fail.
  worker.onmessageerror = () => fail((failure ??= unreadable()));

  const fail = (error: SusurrusError): void => {
    for (const { failed } of waiting.values()) failed(error);
    waiting.clear();
    atWork.delete(worker);
  };

  return {
    call(name, request, options = {}) {
      return new Promise((done, failed) => {
        if (isClosed) {
          failed(wrongState('The model is disposed.', 'model'));
          return;
        }
        if (failure) {
          failed(failure);
          return;
        }
        const { signal } = options;
        if (signal?.aborted) {
          failed(signal.reason as Error);
          return;
        }
        const id = nextId++;
        const onAbort = (): void => post({ type: 'abort', id });
        signal?.addEventListener('abort', onAbort, { once: true });
        const settle =
          <T>(then: (value: T) => void) =>
          (value: T): void => {
            signal?.removeEventListener('abort', onAbort);
            then(value);
          };
        hold(id, { done: settle(done), failed: settle(failed), options });
        const refuse = (error: unknown): void => {
          const call = waiting.get(id);
          letGo(id);
          call?.failed(error);
        };
        const givesAway = options.givesAway === true;
        const send = (copies?: ReadonlyMap<unknown, ArrayBufferView>): void => {
          const [own, buffers] = withOwnBuffers(request, givesAway, copies);
          try {
            post({ type: 'call', id, name, request: own }, buffers);
          } catch (error) {
            refuse(notCloneable(request, error));
          }
        };
        const large = Object.values(request ?? {}).filter((value) => isCopied(value, givesAway));
        if (large.length === 0) {
          send();
          return;
        }
        // Calls that are made meanwhile are posted first.
        copiesOf(large, new YieldController(signal))
          .then((copies) => {
            if (waiting.has(id)) send(copies);
          })
          .catch(refuse);
      });
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      worker.terminate();
      fail(disposedDuringWork());
    },
  };
}

const unreadable = (): SusurrusError =>
  new SusurrusError(
    'internal_error',
    'A message of the worker could not be read: the browser may lack the memory for it.',
    { reason: 'internal', subject: 'worker' },
  );

/** Whether posting a value would copy many bytes at once: half a second for an hour of samples. */
const isCopied = (value: unknown, givesAway: boolean): value is ArrayBufferView =>
  ArrayBuffer.isView(value) && value.byteLength > copiedAtOnce && !(givesAway && isWhole(value));

async function copiesOf(
  arrays: readonly ArrayBufferView[],
  yielder: YieldController,
): Promise<ReadonlyMap<unknown, ArrayBufferView>> {
  const copies = new Map<unknown, ArrayBufferView>();
  for (const array of arrays) {
    const { buffer } = await copyInSteps(array, yielder);
    const ArrayType = array.constructor as new (buffer: ArrayBuffer) => ArrayBufferView;
    copies.set(array, new ArrayType(buffer));
  }
  return copies;
}

/**
 * Transferring a view moves its whole buffer, so that views of a part of a larger buffer are copied first, unless they are among
 * `copies`. Returns the request with copies, and the buffers to transfer with it.
 */
function withOwnBuffers<T>(
  request: T,
  givesAway: boolean,
  copies?: ReadonlyMap<unknown, ArrayBufferView>,
): [request: T, buffers: Transferable[]] {
  const buffers: Transferable[] = [];
  const own = (value: unknown): unknown => {
    if (!ArrayBuffer.isView(value)) return value;
    const view = copies?.get(value) ?? (isWhole(value) ? value : (value as Uint8Array).slice());
    if ((givesAway || view !== value) && isTransferable(view.buffer)) {
      buffers.push(view.buffer);
    }
    return view;
  };
  const entries = Object.entries(request ?? {}).map(([key, value]) => [key, own(value)]);
  return [Object.fromEntries(entries) as T, buffers];
}
