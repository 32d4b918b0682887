/** The parts that each part uses; without circles. */
export type Graph = ReadonlyMap<string, readonly string[]>;

type Arrows = ReadonlyMap<string, ReadonlyMap<string, unknown>>;

/** Independent of the order of the arrows. An arrow that closes a circle is left out; a test forbids those. */
export function createGraph(arrows: Arrows): Graph {
  const graph = new Map<string, string[]>();
  const visit = (name: string, way: readonly string[]): void => {
    const targets = [...(arrows.get(name)?.keys() ?? [])].sort().filter((target) => !way.includes(target));
    graph.set(name, targets);
    for (const target of targets) if (!graph.has(target)) visit(target, [...way, target]);
  };
  for (const name of [...arrows.keys()].sort()) if (!graph.has(name)) visit(name, [name]);
  return graph;
}

/** Without the arrows that a longer way says, too. */
export function withoutShortcuts(graph: Graph): Graph {
  const uses = (from: string, to: string): boolean =>
    from === to || (graph.get(from) ?? []).some((next) => uses(next, to));
  const isShortcut = (to: string, targets: readonly string[]) =>
    targets.some((next) => next !== to && uses(next, to));
  return new Map(
    [...graph].map(([from, targets]) => [from, targets.filter((to) => !isShortcut(to, targets))]),
  );
}

/**
 * How far above the ground each part stands: above all that it uses. A part that more parts use than it uses itself
 * stands just beneath them, so that arrows are short.
 */
export function heightsOf(graph: Graph): ReadonlyMap<string, number> {
  const heights = new Map<string, number>();
  const heightOf = (name: string): number => {
    const height =
      heights.get(name) ?? Math.max(0, ...(graph.get(name) ?? []).map((next) => heightOf(next) + 1));
    heights.set(name, height);
    return height;
  };
  const fromTheTop = [...graph.keys()].sort((left, right) => heightOf(right) - heightOf(left));
  for (const name of fromTheTop) {
    const users = fromTheTop.filter((user) => graph.get(user)?.includes(name));
    if (users.length > (graph.get(name)?.length ?? 0))
      heights.set(name, Math.min(...users.map(heightOf)) - 1);
  }
  return heights;
}
