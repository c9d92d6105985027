// "Still being transcribed" as a state that a test holds: what the engine returns waits until the test lets it go.
import type { BrowserContext, Page } from 'playwright-core';

interface Gate {
  /** So many windows of each transcription reach the page. */
  letPass: (windows: number) => void;
}

/** For each page of the context, before it starts its workers. */
export const offerToHoldText = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript(gateTranscriptions);

/**
 * From now on the page hears of the first `windows` windows of each transcription (of some 30 seconds) and of nothing after them,
 * however quick the engine is, until what this returns is called, or more windows are asked for. Cancelling works as it does with an engine that is at work.
 */
export async function holdText(page: Page, windows = 1): Promise<() => Promise<void>> {
  const letPass = (count: number): Promise<void> =>
    page.evaluate((most) => {
      (window as unknown as { textGate: Gate }).textGate.letPass(most);
    }, count);
  await letPass(windows);
  return () => letPass(Infinity);
}

/** Runs in the page. */
function gateTranscriptions(): void {
  interface Message {
    readonly type: 'call' | 'abort' | 'event' | 'answer' | 'error';
    readonly id: number;
    readonly name?: string;
    readonly event?: { readonly type: string };
  }
  interface Call {
    windows: number;
    isAborted: boolean;
    readonly held: MessageEvent<Message>[];
  }
  const flushes = new Set<() => void>();
  let mostWindows = Infinity;
  const textGate: Gate = {
    letPass(windows) {
      mostWindows = windows;
      for (const flush of flushes) flush();
    },
  };
  Object.assign(window, { textGate });

  const gated = (worker: Worker): Worker => {
    const calls = new Map<number, Call>();
    let listener: ((event: MessageEvent<Message>) => unknown) | null = null;
    const post = worker.postMessage.bind(worker) as (...given: unknown[]) => void;

    /** An engine that had still been at work would have said no more than that it was stopped. */
    const end = (event: MessageEvent<Message>): void => {
      const { type, id } = event.data;
      if (type === 'event') return;
      const error = { code: 'aborted', message: 'stopped', details: {} };
      const told = type === 'answer' ? { type: 'error', id, error } : event.data;
      listener?.(new MessageEvent('message', { data: told }) as MessageEvent<Message>);
    };
    const take = (event: MessageEvent<Message>): void => {
      const { type, id, event: news } = event.data;
      const call = calls.get(id);
      if (!call) {
        listener?.(event);
        return;
      }
      const isWindow = news?.type === 'window';
      const isTooMuch = (isWindow || type === 'answer') && call.windows >= mostWindows;
      if (call.isAborted) end(event);
      else if (isTooMuch || call.held.length > 0) call.held.push(event);
      else {
        if (isWindow) call.windows += 1;
        listener?.(event);
      }
    };
    const send = (message: Message, ...rest: unknown[]): void => {
      if (message.type === 'call' && message.name === 'transcribe') {
        calls.set(message.id, { windows: 0, isAborted: false, held: [] });
      }
      post(message, ...rest);
      const call = message.type === 'abort' ? calls.get(message.id) : undefined;
      if (!call) return;
      call.isAborted = true;
      for (const event of call.held.splice(0)) end(event);
    };

    worker.onmessage = take;
    Object.defineProperty(worker, 'onmessage', {
      get: () => listener,
      set: (given: typeof listener) => (listener = given),
    });
    Object.assign(worker, { postMessage: send });
    flushes.add(() => {
      for (const { held } of calls.values()) for (const event of held.splice(0)) take(event);
    });
    return worker;
  };
  window.Worker = new Proxy(window.Worker, {
    construct: (target, given, newTarget) =>
      gated(Reflect.construct(target, given, newTarget) as Worker),
  });
}
