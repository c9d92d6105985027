// The browser's own decoders for single packets (WebCodecs).
import type { EncodedPacket } from 'mediabunny';
import type { Block } from './blocks.js';
import { audioError, messageOf } from './failures.js';

/** Packets inside the decoder at a time; each becomes some 20 ms of sound. */
const mostPackets = 16;

/** Whether the browser decodes this. */
export async function canDecode(config: AudioDecoderConfig): Promise<boolean> {
  if (typeof AudioDecoder === 'undefined') return false;
  try {
    return (await AudioDecoder.isConfigSupported(config)).supported === true;
  } catch {
    return false; // a configuration that makes no sense
  }
}

/** Decodes as the blocks are taken: what is decoded and not taken is never more than `mostPackets`. */
export async function* decodePackets(
  config: AudioDecoderConfig,
  packets: AsyncGenerator<EncodedPacket, undefined>,
): AsyncGenerator<Block, undefined> {
  const queue = new DecoderQueue(config);
  const takeBlock = blockTaker();
  try {
    for (;;) {
      for (let data = queue.take(); data; data = queue.take()) yield takeBlock(data);
      if (queue.isFlushed) return;
      if (!queue.hasRoom) {
        await queue.changed();
        continue;
      }
      const next = await packets.next();
      if (next.done) queue.flush();
      else queue.push(next.value);
    }
  } finally {
    queue.close();
    await packets.return(undefined);
  }
}

/** A decoder with what it has decoded. */
class DecoderQueue {
  readonly #decoded: AudioData[] = [];
  readonly #decoder: AudioDecoder;
  #failure: { readonly error: unknown } | undefined;
  #seconds = 0;
  #isEnding = false;
  #isFlushed = false;
  #wake = (): void => undefined;

  constructor(config: AudioDecoderConfig) {
    this.#decoder = new AudioDecoder({
      output: (data) => {
        this.#decoded.push(data);
        this.#wake();
      },
      error: (error) => this.#fail(error),
    });
    this.#decoder.ondequeue = () => this.#wake();
    this.#decoder.configure(config);
  }

  get isFlushed(): boolean {
    return this.#isFlushed;
  }

  get hasRoom(): boolean {
    return !this.#isEnding && this.#decoder.decodeQueueSize < mostPackets;
  }

  /** What is decoded; then throws where decoding failed. */
  take(): AudioData | undefined {
    const data = this.#decoded.shift();
    if (data) this.#seconds = (data.timestamp + data.duration) / 1e6;
    else if (this.#failure) {
      const { error } = this.#failure;
      const details = { seconds: this.#seconds, got: messageOf(error) };
      throw audioError('malformed', 'The recording cannot be decoded', details, error);
    }
    return data;
  }

  push(packet: EncodedPacket): void {
    // An error may have closed it meanwhile.
    if (this.#decoder.state === 'configured') this.#decoder.decode(packet.toEncodedAudioChunk());
  }

  flush(): void {
    this.#isEnding = true;
    this.#decoder.flush().then(
      () => {
        this.#isFlushed = true;
        this.#wake();
      },
      (error: unknown) => this.#fail(error),
    );
  }

  /** Resolves when there is something new to take or room for more. */
  async changed(): Promise<void> {
    if (this.#decoded.length > 0 || this.#failure || this.#isFlushed) return;
    await new Promise<void>((woken) => (this.#wake = woken));
    this.#wake = () => undefined;
  }

  close(): void {
    for (const data of this.#decoded) data.close();
    if (this.#decoder.state !== 'closed') this.#decoder.close();
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
  }
}

/** A block in memory that the next one overwrites: an hour has 150 000 of them. */
function blockTaker(): (data: AudioData) => Block {
  let memory: Float32Array[] = [];
  return (data) => {
    const { numberOfChannels: channels, numberOfFrames: frames, sampleRate } = data;
    if (memory.length !== channels || (memory[0]?.length ?? 0) < frames) {
      memory = Array.from({ length: channels }, () => new Float32Array(frames));
    }
    const planes = memory.map((plane, planeIndex) => {
      const part = plane.subarray(0, frames);
      data.copyTo(part, { planeIndex, format: 'f32-planar' });
      return part;
    });
    data.close();
    return { planes, sampleRate };
  };
}
