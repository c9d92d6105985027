// docs/graphs.md lists the operators that run, each with a test.
import { describe, expect, test } from '@jest/globals';
import { graphOperators, graphsDocument } from '../../scripts/print_operators.mjs';

describe('docs/graphs.md', () => {
  test('has the operators that run', async () => {
    const { text, updated } = await graphsDocument();
    // node scripts/print_operators.mjs --update corrects it.
    expect(text).toBe(updated);
  });

  test.each(['onnx', 'tennis'] as const)('every operator of %s has a test', (family) => {
    const operators = graphOperators()[family];
    expect(operators.length).toBeGreaterThan(100);
    expect(operators.filter(({ tests }) => tests.length === 0)).toEqual([]);
  });
});
