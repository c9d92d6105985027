// Instances of the modules that Emscripten generates, and the errors that they report.
import {
  fileError,
  SusurrusError,
  type ErrorCode,
  type ErrorDetails,
  type ErrorReason,
} from '../api/errors.js';

/** The factory that an Emscripten module exports. */
export type CreateEngine<Module> = (options: unknown) => Promise<Module>;

/** Instantiates compiled WebAssembly, with its own memory or, where it is shared, with this one. */
export function instantiate<Module>(
  createEngine: CreateEngine<Module>,
  compiled: WebAssembly.Module,
  wasmMemory?: WebAssembly.Memory,
): Promise<Module> {
  return new Promise((done, failed) => {
    createEngine({
      ...(wasmMemory && { wasmMemory }),
      instantiateWasm(
        imports: WebAssembly.Imports,
        receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
      ) {
        WebAssembly.instantiate(compiled, imports)
          .then((instance) => receive(instance, compiled))
          .catch(failed);
        return {};
      },
    }).then(done, failed);
  });
}

/** An error of the core, as bindings/values.h serialises it. */
interface CoreError {
  readonly code: ErrorCode;
  readonly reason: ErrorReason;
  readonly meaning: string;
  readonly offset?: number;
  readonly subject: string;
  readonly expected: string;
  readonly got: string;
}

/** Throws an error of the core as a SusurrusError; an empty string is no error. */
export function unwrap(error: string): void {
  if (error !== '') throw toSusurrusError(JSON.parse(error) as CoreError);
}

function toSusurrusError(error: CoreError): SusurrusError {
  const { code, reason, meaning, offset, subject, expected, got } = error;
  const details: ErrorDetails = {
    reason,
    ...(offset !== undefined && { offset }),
    ...(subject && { subject }),
    ...(expected && { expected }),
    ...(got && { got }),
  };
  // What was recognised, and what to do with it.
  if (subject === 'file' && offset === 0 && expected && code !== 'truncated_input') {
    const remark = code === 'unknown_format' ? ', not a model file' : '';
    return new SusurrusError(code, `This is ${got}${remark}: ${expected}.`, details);
  }
  return fileError(code, meaning, details);
}
