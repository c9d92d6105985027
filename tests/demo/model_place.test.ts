// Which model is in use when several are chosen while the one before is still leaving.
import { describe, expect, test } from '@jest/globals';
import { ModelPlace, type Occupant } from '../../web/demo/models/model_place.js';
import { errorOf } from '../support/embedded_model.js';

function begin() {
  const said: string[] = [];
  /** Those that leave wait for these, in the order in which they were told. */
  const leaving: (() => void)[] = [];
  const place = new ModelPlace<Occupant>({
    onLeave: () => new Promise((left) => leaving.push(left)),
    onGone: () => undefined,
    onTaken: ({ name }) => said.push(`${name} taken`),
  });
  const choose = (name: string) => {
    const choice = new AbortController();
    const dispose = () => void said.push(`${name} disposed`);
    const show = () => Promise.resolve(void said.push(`${name} shown`));
    const given = place.give(
      { name, offered: undefined, model: { dispose }, show, dispose },
      choice.signal,
    );
    return { given, abort: () => choice.abort(new Error('another')) };
  };
  return { place, said, leaving, choose };
}

async function withFirst() {
  const started = begin();
  const { given } = started.choose('first');
  started.leaving.shift()!();
  await given;
  started.said.length = 0;
  return started;
}

describe('the model in use', () => {
  test.each([
    ['in order', [0, 1]],
    ['the other way round', [1, 0]],
  ])('is the one that was chosen last, when those before leave %s', async (_, order) => {
    const { place, said, leaving, choose } = await withFirst();
    const a = choose('a');
    const failure = errorOf(a.given);
    a.abort();
    const b = choose('b');
    for (const index of order) leaving[index]!();
    await b.given;
    expect(await failure).toMatchObject({ message: 'another' });
    expect(place.inUse?.name).toBe('b');
    expect(said.filter((text) => !text.startsWith('a'))).toEqual([
      'first disposed',
      'b taken',
      'b shown',
    ]);
    expect(said.filter((text) => text.startsWith('a'))).toEqual(['a disposed']);
  });

  test('goes on when the one for which it left does not come', async () => {
    const { place, said, leaving, choose } = await withFirst();
    const a = choose('a');
    const failure = errorOf(a.given);
    a.abort();
    leaving[0]!();
    await failure;
    await place.stay();
    await place.stay();
    expect(place.inUse?.name).toBe('first');
    expect(said).toEqual(['a disposed', 'first shown']);
  });

  test('is not asked to leave for one that nobody wants any more', async () => {
    const { said, leaving, place } = await withFirst();
    const dispose = () => void said.push('a disposed');
    const next = { name: 'a', offered: undefined, dispose, show: () => Promise.resolve() };
    await errorOf(place.give(next, AbortSignal.abort()));
    expect([said, leaving]).toEqual([['a disposed'], []]);
  });
});
