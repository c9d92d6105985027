// docs/graphs.md lists the operators that run; docs/dev/graphs.md lists the tests of each.
import { describe, expect, test } from '@jest/globals';
import { graphOperators, graphsDocuments } from '../../scripts/print_operators.mjs';

describe('the documents of graphs', () => {
  test('list the operators that run', async () => {
    const documents = await graphsDocuments();
    expect(documents.map(({ path }) => path)).toEqual(['docs/graphs.md', 'docs/dev/graphs.md']);
    // node scripts/print_operators.mjs --update corrects them.
    for (const { text, updated } of documents) expect(text).toBe(updated);
  });

  test('list the BW2L layers that run', async () => {
    const [users] = await graphsDocuments();
    const codes = /<!-- bw2l -->([^]*)<!-- \/bw2l -->/.exec(users?.text ?? '')?.[1];
    expect(codes).toMatch(/`CTR`.*`TDS`/s);
    expect(codes).not.toMatch(/LSTM/);
  });

  test.each(['onnx', 'tennis'] as const)('every operator of %s has a test', (family) => {
    const operators = graphOperators()[family];
    expect(operators.length).toBeGreaterThan(100);
    expect(operators.filter(({ tests }) => tests.length === 0)).toEqual([]);
  });
});
