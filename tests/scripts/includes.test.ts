// Missing #include lines of the core: scripts/check_includes.mjs.
import { expect, test } from '@jest/globals';
import { findMissingIncludes } from '../../scripts/check_includes.mjs';

const headers = {
  'base/error.h': '/// What went wrong.\nstruct Error {\n  int code;\n};\n\nError no_error();\n',
  'base/result.h': '#include "base/error.h"\n',
};
const missingIn = (source: string) => findMissingIncludes({ ...headers, 'base/one.cc': source });

test('a type and a function that are used without their header are named with it', () => {
  expect(missingIn('int f(const Error& e);')).toEqual([
    'src/base/one.cc: Error is used without "base/error.h"',
  ]);
  expect(missingIn('int f() { return no_error().code; }')).toEqual([
    'src/base/one.cc: no_error is used without "base/error.h"',
  ]);
});

test('a header that another one includes is enough', () => {
  expect(missingIn('#include "base/result.h"\nint f(const Error& e);')).toEqual([]);
});

test("comments, texts, members and a file's own names are no uses", () => {
  expect(missingIn('// An Error.\nauto text = "Error";')).toEqual([]);
  expect(missingIn('auto f(Parts& parts) { return parts.no_error(); }')).toEqual([]);
  expect(missingIn('bool no_error() { return true; }')).toEqual([]);
});
