// The only importer of the generated glue.
import createEngine, { type MainModule } from './engine.mjs';
import { SusurrusError, type ErrorCode, type ErrorDetails } from '../errors.js';

export type EngineModule = MainModule;

/** An engine with a memory of its own, from compiled WebAssembly. */
export function instantiate(compiled: WebAssembly.Module): Promise<EngineModule> {
  return new Promise((done, failed) => {
    createEngine({
      instantiateWasm(
        imports: WebAssembly.Imports,
        receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
      ) {
        WebAssembly.instantiate(compiled, imports).then(
          (instance) => receive(instance, compiled),
          failed,
        );
        return {};
      },
    }).then(done, failed);
  });
}

/** An error of the core, as bindings/values.h writes it. */
interface CoreError {
  readonly code: ErrorCode;
  readonly reason: string;
  readonly meaning: string;
  readonly offset?: number;
  readonly subject: string;
  readonly expected: string;
  readonly got: string;
}

/** The one place where an error of the core becomes an exception; no text is no error. */
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
  let message = meaning.charAt(0).toUpperCase() + meaning.slice(1);
  if (subject) message += `: ${subject}`;
  if (offset !== undefined) message += ` at byte ${offset}`;
  if (expected) message += `; expected ${expected}`;
  if (got) message += `${expected ? ',' : ';'} got ${got}`;
  return new SusurrusError(code, `${message}.`, details);
}
