/**
 * Finds the shortest sublist that still fails by removing ever smaller pieces (delta debugging). The result always
 * fails. If time runs out, it may not be the shortest.
 */
export async function shrink<Item>(
  items: readonly Item[],
  fails: (kept: readonly Item[]) => Promise<boolean>,
  { withinMs }: { withinMs: number },
): Promise<readonly Item[]> {
  const deadline = performance.now() + withinMs;
  let kept = items;
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length; ) {
      if (performance.now() > deadline) return kept;
      const without = [...kept.slice(0, from), ...kept.slice(from + size)];
      if (without.length < kept.length && (await fails(without))) kept = without;
      else from += size;
    }
  }
  return kept;
}
