/**
 * Runs every variant once per round. Every second round is in the reverse order, and each pair of rounds begins with
 * another variant, so that none always runs right after the same other one.
 */
export async function interleave<Variant extends { name: string }>(
  variants: readonly Variant[],
  rounds: number,
  work: (variant: Variant, round: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const first = Math.floor(round / 2) % variants.length;
    const order = [...variants.slice(first), ...variants.slice(0, first)];
    for (const variant of round % 2 === 0 ? order : order.reverse()) await work(variant, round);
  }
}
