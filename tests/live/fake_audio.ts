// A browser's audio, as far as the package uses it: contexts of a rate, worklet nodes and streams. Set in place of what Node lacks.
import type { ToWorklet } from '../../web/tools/capture/tap.js';

/** Connects streams of its own rate only, as Firefox does. */
export class FakeContext extends EventTarget {
  static made: FakeContext[] = [];
  static usualRate = 48000;
  static startsAs: AudioContextState = 'running';
  /** Thrown by the next `new AudioContext()`. */
  static refusal: DOMException | undefined;
  readonly sampleRate: number;
  state: AudioContextState;
  readonly nodes: FakeNode[] = [];
  readonly audioWorklet = { addModule: () => Promise.resolve() };

  constructor({ sampleRate = FakeContext.usualRate } = {}) {
    super();
    if (FakeContext.refusal) throw FakeContext.refusal;
    this.sampleRate = sampleRate;
    this.state = FakeContext.startsAs;
    FakeContext.made.push(this);
  }

  createMediaStreamSource({ rate }: FakeMediaStream) {
    if (rate !== this.sampleRate) throw new DOMException('another rate', 'NotSupportedError');
    return { connect: () => undefined, disconnect: () => undefined };
  }

  /** Waits for a click that never comes. */
  resume(): Promise<void> {
    return new Promise(() => undefined);
  }

  close(): Promise<void> {
    this.state = 'closed';
    return Promise.resolve();
  }
}

export class FakeNode {
  readonly port = {
    onmessage: undefined as ((message: { data: unknown }) => void) | undefined | null,
    /** The worklet answers at once when it has to finish. */
    postMessage: (message: ToWorklet) => {
      if (message === 'connected') return;
      if (this.rest) this.play(this.rest);
      this.port.onmessage?.({ data: 'finished' });
    },
  };
  /** What the worklet still has when it is to finish. */
  rest: Float32Array | undefined;

  constructor(context: FakeContext) {
    context.nodes.push(this);
  }

  play(samples: Float32Array): void {
    this.port.onmessage?.({ data: samples });
  }
}

export class FakeTrack extends EventTarget {
  kind = 'audio';
  enabled = true;
  muted = false;
  readyState = 'live';
  readonly #rate: number;

  constructor(rate: number) {
    super();
    this.#rate = rate;
  }

  getSettings() {
    return { sampleRate: this.#rate };
  }

  stop(): void {
    this.readyState = 'ended';
  }
}

export class FakeMediaStream {
  readonly track: FakeTrack;
  readonly rate: number;

  constructor(of: number | readonly [FakeTrack]) {
    this.track = typeof of === 'number' ? new FakeTrack(of) : of[0];
    this.rate = this.track.getSettings().sampleRate;
  }

  getTracks() {
    return [this.track];
  }

  getAudioTracks() {
    return [this.track];
  }
}

/** Until the function that it returns is called. */
export function fakeAudio(getUserMedia?: () => Promise<FakeMediaStream>): () => void {
  Object.assign(FakeContext, {
    made: [],
    usualRate: 48000,
    startsAs: 'running',
    refusal: undefined,
  });
  const stubs = {
    AudioContext: FakeContext,
    AudioWorkletNode: FakeNode,
    MediaStream: FakeMediaStream,
    MediaStreamTrack: FakeTrack,
    document: new EventTarget(),
    navigator: { mediaDevices: { getUserMedia } },
    location: { href: 'https://page.test/' },
  };
  const before = Object.keys(stubs).map(
    (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
  );
  for (const [name, value] of Object.entries(stubs)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  return () => {
    for (const [name, was] of before) {
      if (was) Object.defineProperty(globalThis, name, was);
      else Reflect.deleteProperty(globalThis, name);
    }
  };
}
