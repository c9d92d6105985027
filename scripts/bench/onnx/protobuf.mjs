// Protocol buffers as far as ONNX files need them: messages are lists of bytes, so that weights are never copied.

const text = new TextEncoder();

function varintBytes(value) {
  const bytes = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    if (rest < 0x80n) return [...bytes, Number(rest)];
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
}

export class Message {
  #chunks = [];
  byteLength = 0;

  #add(bytes) {
    this.#chunks.push(bytes);
    this.byteLength += bytes.length;
  }
  #tag(field, wireType) {
    this.#add(Uint8Array.from(varintBytes((field << 3) | wireType)));
  }

  /**
   * An integer or enumeration; negative ones as two's complement of 64 bits.
   * @type {(field: number, value: number | bigint) => this}
   */
  integer(field, value) {
    this.#tag(field, 0);
    this.#add(Uint8Array.from(varintBytes(value)));
    return this;
  }
  /** @type {(field: number, value: number) => this} */
  float(field, value) {
    this.#tag(field, 5);
    this.#add(new Uint8Array(Float32Array.of(value).buffer));
    return this;
  }
  /** @type {(field: number, value: Uint8Array) => this} */
  bytes(field, value) {
    this.#tag(field, 2);
    this.#add(Uint8Array.from(varintBytes(value.length)));
    this.#add(value);
    return this;
  }
  /** @type {(field: number, value: string) => this} */
  string(field, value) {
    return this.bytes(field, text.encode(value));
  }
  /**
   * Must be complete: later additions to it are lost.
   * @type {(field: number, value: Message) => this}
   */
  message(field, value) {
    this.#tag(field, 2);
    this.#add(Uint8Array.from(varintBytes(value.byteLength)));
    value.#chunks.forEach((chunk) => this.#add(chunk));
    return this;
  }

  /** The encoded message, piece by piece. */
  get chunks() {
    return this.#chunks;
  }
}
