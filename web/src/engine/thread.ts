// A thread of an engine, in the worker that it lives in.
import type { ThreadOrder } from './several_threads.js';

/** Makes the instance; the function that it returns works until the engine ends its threads. */
export function enterThread({ compiled, memory, start, thread }: ThreadOrder): () => void {
  // Threads run kernels, which call nothing outside.
  const refuse = (): never => {
    throw new Error('A thread of the engine has called JavaScript.');
  };
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module, name, kind } of WebAssembly.Module.imports(compiled)) {
    (imports[module] ??= {})[name] = kind === 'memory' ? memory : refuse;
  }
  const { exports } = new WebAssembly.Instance(compiled, imports);
  // Names are minified, but there is one table.
  const table = Object.values(exports).find((one) => one instanceof WebAssembly.Table);
  const call = (index: number, ...args: number[]): void => {
    (table?.get(index) as (...args: number[]) => void)(...args);
  };
  call(start.initialise, start.stacks + (thread - 1) * start.stackBytes, start.stackBytes);
  return () => {
    try {
      call(start.serve, thread);
    } catch (error) {
      // Else the engine would wait for this thread for ever.
      call(start.breakOff);
      throw error;
    }
  };
}
