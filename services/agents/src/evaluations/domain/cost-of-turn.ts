import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../deps.ts';

const everyMs = 200;
const maxReads = 50;

/** The cost of a turn whose use was announced, once it is counted; `null` without a price. */
export async function costOfTurn(
  { usage }: Pick<Deps, 'usage'>,
  tenantId: string,
  turnId: string,
): Promise<number | null> {
  for (let reads = 1; reads <= maxReads; reads += 1) {
    const [cost] = await usage.costsOf(tenantId, [turnId]);
    if (cost) return cost.costMicroUsd;
    await pause(everyMs);
  }
  return null;
}
