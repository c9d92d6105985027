// Before each suite: jest compares lists item by item, with a visit to every tester for each, and tens of thousands of numbers take
// it seconds. Lists of the same numbers are equal at once; jest's own comparison tells of all others.
import { expect } from '@jest/globals';

const bytesOf = ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength);

/** Shorter ones take jest no time. Of properties besides its items jest knows more. */
const isLongList = (value) => Array.isArray(value) && value.length > 100;

function haveTheSameNumbers(a, b) {
  if (ArrayBuffer.isView(a)) {
    if (!ArrayBuffer.isView(b) || a.constructor !== b.constructor) return undefined;
    return bytesOf(a).equals(bytesOf(b)) || undefined;
  }
  if (!isLongList(a) || !isLongList(b) || a.length !== b.length) return undefined;
  for (let i = 0; i < a.length; ++i) {
    if (typeof a[i] !== 'number' || !Object.is(a[i], b[i])) return undefined;
  }
  return [a, b].every((list) => Object.keys(list).length === list.length) || undefined;
}

expect.addEqualityTesters([haveTheSameNumbers]);
