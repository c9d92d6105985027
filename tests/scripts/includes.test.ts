// Missing #include lines and shared names of C++: scripts/check_includes.mjs.
import { expect, test } from '@jest/globals';
import { findMissingIncludes, findSharedNamespaces } from '../../scripts/check_includes.mjs';

const headers = {
  'src/base/error.h':
    '/// What went wrong.\nstruct Error {\n  int code;\n};\n\nError no_error();\n',
  'src/base/result.h': '#include "base/error.h"\n',
};
const missingIn = (source: string, path = 'src/base/one.cc') =>
  findMissingIncludes({ ...headers, [path]: source });

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

test("test cases need the core's headers and their own; the core needs none of theirs", () => {
  expect(missingIn('int f(const Error& e);', 'tests/cpp/base/one_test.cc')).toEqual([
    'tests/cpp/base/one_test.cc: Error is used without "base/error.h"',
  ]);
  const builder = { 'tests/cpp/base/builder.h': 'int built();\n' };
  const use = 'int f() { return built(); }';
  expect(findMissingIncludes({ ...builder, 'src/base/one.cc': use })).toEqual([]);
  expect(findMissingIncludes({ ...builder, 'tests/cpp/base/one_test.cc': use })).toEqual([
    'tests/cpp/base/one_test.cc: built is used without "base/builder.h"',
  ]);
});

test('a file of test cases has its own namespace, helpers share theirs', () => {
  const shared = (path: string, name: string) =>
    findSharedNamespaces({ [path]: `namespace ${name} {\nnamespace {\n}\n}\n` });
  expect(shared('tests/cpp/base/one_test.cc', 'susurrus::testing::one_test')).toEqual([]);
  expect(shared('tests/cpp/base/builder.cc', 'susurrus::testing')).toEqual([]);
  for (const name of ['susurrus::testing', 'susurrus', 'susurrus::testing::other_test']) {
    expect(shared('tests/cpp/base/one_test.cc', name)).toEqual([
      'tests/cpp/base/one_test.cc: its cases belong into namespace susurrus::testing::one_test',
    ]);
  }
});
