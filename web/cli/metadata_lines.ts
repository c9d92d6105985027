/** A file's metadata as lines of JSON, lists without objects on a line each. */
export function metadataLines(metadata: Readonly<Record<string, unknown>>): string[] {
  return membersOf(metadata, '  ');
}

function membersOf(object: object, indent: string): string[] {
  const members = Object.entries(object);
  return members.flatMap(([key, value], at) => {
    const lines = linesOf(value, indent);
    const comma = at + 1 < members.length ? ',' : '';
    return [
      `${indent}${JSON.stringify(key)}: ${lines[0] ?? ''}${lines.length > 1 ? '' : comma}`,
      ...lines.slice(1, -1),
      ...(lines.length > 1 ? [`${lines.at(-1) ?? ''}${comma}`] : []),
    ];
  });
}

/** The first without its indent, which the key has. */
function linesOf(value: unknown, indent: string): string[] {
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.every(isPlain)) return [JSON.stringify(value)];
    const items = value.map((item) => linesOf(item, inner));
    const last = items.length - 1;
    return [
      '[',
      ...items.flatMap((lines, at) =>
        lines.map(
          (line, i) =>
            `${i === 0 ? inner : ''}${line}${i === lines.length - 1 && at < last ? ',' : ''}`,
        ),
      ),
      `${indent}]`,
    ];
  }
  const entries = Object.entries(value);
  // Long lists arrive as {length}.
  if (entries.length === 1 && entries[0]?.[0] === 'length') return [`"${entries[0][1]} values"`];
  return entries.length === 0 ? ['{}'] : ['{', ...membersOf(value, inner), `${indent}}`];
}

const isPlain = (item: unknown): boolean => typeof item !== 'object' || Array.isArray(item);
