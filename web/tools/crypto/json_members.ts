// A JSON object's text with other members: everything else stays as it was written, digit by digit.

import type { YieldController } from '../../src/wasm/yield_controller.js';

/** Between two steps: a vocabulary is a hundred thousand tokens of JSON. */
const tokensBetween = 1 << 10;

/** Strings, brackets and commas; the rest is skipped. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},]/gs;

/** The object's text with the named members first removed and then, at the end, those that are not undefined. */
export async function withMembers(
  text: string,
  changes: Readonly<Record<string, unknown>>,
  yielder: YieldController,
): Promise<string> {
  const members = await membersOf(text, yielder);
  const kept = members.filter(({ name }) => !Object.hasOwn(changes, name));
  const added = Object.entries(changes).flatMap(([name, value]) =>
    value === undefined ? [] : [`${JSON.stringify(name)}:${JSON.stringify(value)}`],
  );
  return `{${[...kept.map((member) => member.text), ...added].join(',')}}`;
}

/** Members of the text of a JSON object, which has been parsed before. */
async function membersOf(
  text: string,
  yielder: YieldController,
): Promise<{ readonly name: string; readonly text: string }[]> {
  const members: { name: string; text: string }[] = [];
  let depth = 0;
  let begin = 0;
  let name: string | undefined;
  let count = 0;
  for (const { 0: found, index } of text.matchAll(token)) {
    if (++count % tokensBetween === 0) await yielder.step();
    if (found.startsWith('"')) {
      if (depth === 1) name ??= JSON.parse(found) as string;
    } else if (found === '{' || found === '[') {
      if (depth === 0) begin = index + 1;
      ++depth;
    } else {
      if (found !== ',') --depth;
      const isEnd = found === ',' ? depth === 1 : depth === 0;
      if (!isEnd) continue;
      if (name !== undefined) members.push({ name, text: text.slice(begin, index).trim() });
      begin = index + 1;
      name = undefined;
    }
  }
  return members;
}
