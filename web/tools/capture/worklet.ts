// Runs in the audio thread: hands blocks of the first channel to the page.
import { writeRing, type RingMemory } from './ring.js';
import type { ToWorklet } from './tap.js';

/** Samples to a message: about 20 messages a second at 48 kHz instead of 375. */
const blockSize = 2048;

/** What a call of process() stands for. */
const quantum = 128;
/** Firefox has no channel for a source that is silent, a muted microphone's for one: time goes on. */
const silence = new Float32Array(quantum);

class Capture extends AudioWorkletProcessor {
  #block = new Float32Array(blockSize);
  #filled = 0;
  readonly #ring: RingMemory | undefined;
  /** What the ring had no room for, because the page was busy; nothing is lost. */
  #overflow: Float32Array[] = [];
  #isConnected = false;
  /** The page has let it go: a processor that says so is ended by the browser, also in a context that stays open. */
  #isOver = false;

  constructor({ processorOptions }: AudioWorkletNodeOptions) {
    super();
    this.#ring = (processorOptions as { ring?: RingMemory } | undefined)?.ring;
    this.port.onmessage = ({ data }: MessageEvent<ToWorklet>) => {
      if (data === 'connected') {
        this.#isConnected = true;
        return;
      }
      // The page wants the rest, and an answer when it has it.
      this.#isOver = true;
      if (this.#filled > 0) this.#send(this.#block.slice(0, this.#filled));
      this.#filled = 0;
      for (const rest of this.#overflow.splice(0)) this.port.postMessage(rest, [rest.buffer]);
      this.port.postMessage('finished');
    };
  }

  process(inputs: Float32Array[][]): boolean {
    if (this.#isOver) return false;
    const channel = inputs[0]?.[0] ?? (this.#isConnected ? silence : undefined);
    if (!channel) return true;
    for (const sample of channel) {
      this.#block[this.#filled] = sample;
      this.#filled += 1;
      if (this.#filled < blockSize) continue;
      this.#send(this.#block);
      if (!this.#ring) this.#block = new Float32Array(blockSize);
      this.#filled = 0;
    }
    return true;
  }

  #send(block: Float32Array): void {
    const ring = this.#ring;
    if (!ring) {
      this.port.postMessage(block, [block.buffer]);
      return;
    }
    // In order: what waits goes first.
    this.#overflow.push(block);
    while (this.#overflow.length > 0) {
      const [first] = this.#overflow as [Float32Array];
      const count = writeRing(ring, first);
      if (count < first.length) {
        this.#overflow[0] = first.slice(count);
        // The block itself is filled anew.
        if (this.#overflow.at(-1) === block) this.#overflow.splice(-1, 1, block.slice());
        break;
      }
      this.#overflow.shift();
    }
    this.port.postMessage('ready');
  }
}

registerProcessor('susurrus-capture', Capture);
