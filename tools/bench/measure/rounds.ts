/**
 * Runs every variant once per round. Each round begins with another variant, so that none has a constant advantage.
 */
export async function interleave<Variant extends { name: string }>(
  variants: readonly Variant[],
  rounds: number,
  work: (variant: Variant, round: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const first = round % variants.length;
    for (const variant of [...variants.slice(first), ...variants.slice(0, first)]) await work(variant, round);
  }
}
