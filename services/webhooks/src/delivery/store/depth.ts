import type { PlatformTx } from '@botyard/shared/db/database';
import { count } from '@botyard/shared/db/expressions';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';

const depthText = typedSql`select ${columns({ waiting: count() })} from
  (select from webhooks.parts where state in ('queued', 'sending') limit 10000) p`;

/** Parts of replies that aren't sent yet; 10,000 stands for more. */
export async function countWaitingParts(tx: PlatformTx): Promise<number> {
  const [row] = await tx.query({ name: 'webhooks.parts.depth', text: depthText, values: [] });
  return row?.waiting ?? 0;
}
