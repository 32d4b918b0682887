import type { PlatformTx } from '@botyard/shared/db/database';

/** Parts of replies that aren't sent yet; 10,000 stands for more. */
export async function countWaitingParts(tx: PlatformTx): Promise<number> {
  const [row] = await tx.query<{ waiting: number }>({
    name: 'webhooks.parts.depth',
    text: `select count(*)::int as waiting from
             (select from webhooks.parts where state in ('queued', 'sending') limit 10000) p`,
    values: [],
  });
  return row?.waiting ?? 0;
}
