// Names that the package's types use and that a program's own libraries may lack: an old TypeScript has no Symbol.dispose, a
// program for Node no DOM. Where they are declared already, these declarations merge with them and add nothing.
/* eslint-disable @typescript-eslint/no-empty-object-type */

interface SymbolConstructor {
  readonly dispose: unique symbol;
  readonly asyncDispose: unique symbol;
}

interface AudioBuffer {}
interface CryptoKey {}
interface CryptoKeyPair {}
interface FileSystemFileHandle {}
interface HTMLElement {}
interface HTMLMediaElement {}
interface MediaStream {}
interface MediaStreamTrack {}

declare namespace WebAssembly {
  interface Module {}
}
