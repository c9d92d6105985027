// The only importer of the generated glue.
import createEngine, { type ErrorValue, type MainModule } from './engine.mjs';
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

/** embind declares its strings wider than what it gives. */
export function asText(value: ErrorValue['code']): string {
  return typeof value === 'string' ? value : new TextDecoder().decode(value);
}

/** The one place where an error of the core becomes an exception. */
export function unwrap(error: ErrorValue | undefined): void {
  if (error !== undefined) throw toSusurrusError(error);
}

function toSusurrusError(error: ErrorValue): SusurrusError {
  const subject = asText(error.subject);
  const expected = asText(error.expected);
  const got = asText(error.got);
  const details: ErrorDetails = {
    reason: asText(error.reason),
    ...(error.offset >= 0 && { offset: error.offset }),
    ...(subject && { subject }),
    ...(expected && { expected }),
    ...(got && { got }),
  };
  const meaning = asText(error.meaning);
  let message = meaning.charAt(0).toUpperCase() + meaning.slice(1);
  if (subject) message += `: ${subject}`;
  if (error.offset >= 0) message += ` at byte ${error.offset}`;
  if (expected) message += `; expected ${expected}`;
  if (got) message += `${expected ? ',' : ';'} got ${got}`;
  return new SusurrusError(asText(error.code) as ErrorCode, `${message}.`, details);
}
