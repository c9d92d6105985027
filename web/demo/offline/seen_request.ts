// What the service worker tells the page of a request that passed it.

export interface SeenRequest {
  readonly type: 'request';
  readonly host: string;
  /** Bytes of the request's body. */
  readonly sentBytes: number;
}

export const isSeenRequest = (message: unknown): message is SeenRequest =>
  typeof message === 'object' &&
  message !== null &&
  'type' in message &&
  message.type === 'request';

export async function seenRequest(request: Request): Promise<SeenRequest> {
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  const sentBytes = hasBody ? (await request.clone().arrayBuffer()).byteLength : 0;
  return { type: 'request', host: new URL(request.url).host, sentBytes };
}

/** The page tells a service worker that waits that it may take over. */
export const takeOver = 'take over';
