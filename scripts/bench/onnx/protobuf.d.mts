export declare class Message {
  readonly byteLength: number;
  readonly chunks: readonly Uint8Array[];
  integer(field: number, value: number | bigint): this;
  float(field: number, value: number): this;
  bytes(field: number, value: Uint8Array): this;
  string(field: number, value: string): this;
  message(field: number, value: Message): this;
}
