// How much the page and its workers have sent: the bodies of their requests, and where all requests went.

export class SentCount {
  #sentBytes = 0;
  readonly #hosts = new Map<string, number>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get sentBytes(): number {
    return this.#sentBytes;
  }

  /** Requests by host, in the order of the first ones. */
  get hosts(): ReadonlyMap<string, number> {
    return this.#hosts;
  }

  addRequest(host: string): void {
    this.#hosts.set(host, (this.#hosts.get(host) ?? 0) + 1);
    this.#onChange();
  }

  addBytes(count: number): void {
    if (count === 0) return;
    this.#sentBytes += count;
    this.#onChange();
  }
}

/** What a script of the page can send with. */
export interface Senders {
  fetch: typeof fetch;
  readonly navigator: Pick<Navigator, 'sendBeacon'>;
  readonly XMLHttpRequest: { readonly prototype: Pick<XMLHttpRequest, 'send'> };
}

/** Counts the bodies of what the page's own scripts send from now on; they are sent as before. */
export function countBodies(senders: Senders, count: SentCount): void {
  const { fetch: fetched } = senders;
  senders.fetch = (input, init) => {
    if (init?.body != null) count.addBytes(bytesOf(init.body));
    else if (input instanceof Request && input.body) {
      void input
        .clone()
        .arrayBuffer()
        .then(({ byteLength }) => count.addBytes(byteLength));
    }
    return fetched.call(globalThis, input, init);
  };
  const { navigator } = senders;
  const beacon = navigator.sendBeacon;
  navigator.sendBeacon = (url, body) => {
    if (body != null) count.addBytes(bytesOf(body));
    return beacon.call(navigator, url, body);
  };
  const { prototype } = senders.XMLHttpRequest;
  const send: XMLHttpRequest['send'] = Reflect.get(prototype, 'send');
  prototype.send = function (this: XMLHttpRequest, body) {
    if (body != null && !(body instanceof Document)) count.addBytes(bytesOf(body));
    send.call(this, body);
  };
}

/** Bytes of a request's body; 1 for a stream, whose length is unknown. */
function bytesOf(body: BodyInit): number {
  if (typeof body === 'string') return new TextEncoder().encode(body).length;
  if (body instanceof Blob) return body.size;
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return body.byteLength;
  if (body instanceof URLSearchParams) return body.toString().length;
  if (body instanceof FormData) {
    let size = 0;
    body.forEach((value) => (size += typeof value === 'string' ? value.length : value.size));
    return size;
  }
  return 1;
}

/** Reports the requests of the page itself, those before this call included. */
export function watchRequests(count: SentCount): void {
  new PerformanceObserver((list) => {
    for (const { name } of list.getEntries()) {
      const { host, protocol } = new URL(name);
      if (/^https?:$/.test(protocol)) count.addRequest(host);
    }
  }).observe({ type: 'resource', buffered: true });
}
