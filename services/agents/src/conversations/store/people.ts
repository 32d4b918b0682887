import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import type { TenantTx } from '@botyard/shared/db/database';
import { getTableColumns } from '@botyard/shared/db/drizzle';
import { unnest } from '@botyard/shared/db/named-values';
import { people } from '../../store/schema.ts';

/**
 * The same person of a platform has one identifier within a tenant, for ever, and another one in every other tenant.
 */
export const personIdOf = ({ tenantId, platform, sender }: InboundMessage): string =>
  personIdOfAccount(tenantId, { platform, platformUserId: sender.platformUserId });

const { firstSeenAt, ...newestColumns } = getTableColumns(people);
const newest = unnest('newest', newestColumns);

/**
 * Remembers who wrote in which conversation, as they were called in their newest message. A conversation's row is
 * locked before its people, who come in one order, so that no two writers wait for each other for good.
 */
export async function savePeople(tx: TenantTx, arrived: readonly InboundMessage[]): Promise<void> {
  await tx.query({
    name: 'agents.people.save',
    text: `insert into agents.people as p (${newest.columns}, first_seen_at)
           select ${newest.columns}, last_seen_at
           from ${newest}
           order by tenant_id, conversation_id, person_id
           on conflict (tenant_id, conversation_id, person_id) do update set
             name = excluded.name, username = excluded.username, last_seen_at = excluded.last_seen_at
           where p.last_seen_at < excluded.last_seen_at`,
    values: newest.values(newestOfEach(arrived).map(toRow)),
  });
}

interface SaidBy {
  personId: string;
  message: InboundMessage;
}

const toRow = ({ personId, message }: SaidBy) => ({
  ...{ username: null, ...message, ...message.sender, personId },
  lastSeenAt: message.receivedAt,
});

function newestOfEach(arrived: readonly InboundMessage[]): SaidBy[] {
  const newest = new Map<string, SaidBy>();
  for (const message of arrived) {
    const personId = personIdOf(message);
    const key = `${message.conversationId}/${personId}`;
    const known = newest.get(key);
    if (!known || known.message.seq < message.seq) newest.set(key, { personId, message });
  }
  return [...newest.values()];
}
