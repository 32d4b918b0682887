/**
 * Every variant once in each round, each round beginning with another one, so that none always has the quiet moment.
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
