// Samples of a stream, a range at a time.
import { expect, test } from '@jest/globals';
import { StreamSupply } from '../../web/src/engine/audio_supply.js';

test('a shorter range asked for again loses nothing of what comes after it', async () => {
  const whole = Float32Array.from({ length: 100 }, (_, i) => i / 100);
  let given = 0;
  const supply: StreamSupply = new StreamSupply((count) => {
    supply.receive(whole.slice(given, (given += count)));
  });
  const expectRange = async (begin: number, end: number): Promise<void> => {
    expect(await supply.read(begin, end)).toEqual(whole.slice(begin, end));
  };
  await expectRange(0, 80);
  await expectRange(0, 30);
  await expectRange(20, 50);
  await expectRange(30, 100);
  expect(given).toBe(100);
});
