// The engine starts while the model's first bytes are on their way, and neither waits for the other.
import { afterEach, expect, jest, test } from '@jest/globals';
import { builtPackage } from '../support/built_package.js';
import { modelBytes } from '../support/embedded_model.js';

afterEach(() => {
  jest.restoreAllMocks();
});

test('the model is asked for before the engine runs, and the engine runs before the model answers', async () => {
  const { loadModel } = await builtPackage();
  let engineRuns = (): void => undefined;
  const engineRunning = new Promise<void>((done) => {
    engineRuns = done;
  });
  const order: string[] = [];
  const instantiate = WebAssembly.instantiate.bind(WebAssembly) as (
    ...request: unknown[]
  ) => Promise<WebAssembly.Instance>;
  jest.spyOn(WebAssembly, 'instantiate').mockImplementation((...request: unknown[]) => {
    order.push('the engine runs');
    engineRuns();
    return instantiate(...request);
  });
  jest.spyOn(globalThis, 'fetch').mockImplementation(async () => {
    order.push('the model is asked for');
    await engineRunning; // an engine that waited for the model would never run
    order.push('the model answers');
    return new Response(modelBytes().slice());
  });

  const model = await loadModel<'whisper'>('http://models.invalid/model.apr', { variant: 'simd' });
  expect(order).toEqual(['the model is asked for', 'the engine runs', 'the model answers']);
  model.dispose();
});
