// Runs in the audio thread: hands blocks of the first channel to the page.

/** Samples to a message: about 20 messages a second at 48 kHz instead of 375. */
const blockSize = 2048;

class Capture extends AudioWorkletProcessor {
  #block = new Float32Array(blockSize);
  #filled = 0;

  process(inputs: Float32Array[][]): boolean {
    const channel = inputs[0]?.[0];
    if (!channel) return true;
    for (const sample of channel) {
      this.#block[this.#filled] = sample;
      this.#filled += 1;
      if (this.#filled === blockSize) this.#send();
    }
    return true;
  }

  #send(): void {
    this.port.postMessage(this.#block, [this.#block.buffer]);
    this.#block = new Float32Array(blockSize);
    this.#filled = 0;
  }
}

registerProcessor('susurrus-capture', Capture);
