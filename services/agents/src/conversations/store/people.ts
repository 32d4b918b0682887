import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import type { TenantTx } from '@botyard/shared/db/database';
import { getTableColumns } from '@botyard/shared/db/drizzle';
import { unnest } from '@botyard/shared/db/named-values';
import { people } from '../../store/schema.ts';

/** A person of a platform has one permanent identifier within a tenant, and a different one in every other tenant. */
export const personIdOf = ({ tenantId, platform, sender }: InboundMessage): string =>
  personIdOfAccount(tenantId, { platform, platformUserId: sender.platformUserId });

const { firstSeenAt, ...newestColumns } = getTableColumns(people);
const newest = unnest('newest', newestColumns);

/**
 * Saves who wrote in which conversation, with the names from their newest messages. A conversation's row is locked
 * before its people, and people in a fixed order, so that writers can't deadlock.
 */
export async function savePeople(tx: TenantTx, arrived: readonly InboundMessage[]): Promise<void> {
  const newestOfEach = new Map<string, SaidBy>();
  for (const message of arrived) {
    const personId = personIdOf(message);
    const key = `${message.conversationId}/${personId}`;
    const before = newestOfEach.get(key);
    if (!before || before.message.seq < message.seq) newestOfEach.set(key, { personId, message });
  }
  await tx.query({
    name: 'agents.people.save',
    text: `insert into agents.people as p (${newest.columns}, first_seen_at)
           select ${newest.columns}, last_seen_at
           from ${newest}
           order by tenant_id, conversation_id, person_id
           on conflict (tenant_id, conversation_id, person_id) do update set
             name = excluded.name, username = excluded.username, last_seen_at = excluded.last_seen_at
           where p.last_seen_at < excluded.last_seen_at`,
    values: newest.values([...newestOfEach.values()].map(toRow)),
  });
}

interface SaidBy {
  personId: string;
  message: InboundMessage;
}

const toRow = ({ personId, message }: SaidBy) => ({
  username: null,
  ...message,
  ...message.sender,
  personId,
  lastSeenAt: message.receivedAt,
});
