const longest = 64;

/** The wanted name, or the first free one of `name_2`, `name_3`, …; it is reserved from then on. */
export function freeToolName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) {
    const end = `_${count}`;
    name = `${wanted.slice(0, longest - end.length)}${end}`;
  }
  taken.add(name);
  return name;
}
