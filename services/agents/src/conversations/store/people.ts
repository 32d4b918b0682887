import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import type { TenantTx } from '@botyard/shared/db/database';

/** The same person of a platform has one identifier within a tenant, for ever, and another one in every other tenant. */
export const personIdOf = ({ tenantId, platform, sender }: InboundMessage): string =>
  personIdOfAccount(tenantId, { platform, platformUserId: sender.platformUserId });

/**
 * Remembers who wrote in which conversation, as they were called in their newest message. A conversation's row is
 * locked before its people, who come in one order, so that no two writers wait for each other for good.
 */
export async function savePeople(tx: TenantTx, arrived: readonly InboundMessage[]): Promise<void> {
  const newest = newestOfEach(arrived);
  const column = <Value>(read: (message: InboundMessage) => Value) =>
    newest.map(({ message }) => read(message));
  await tx.query({
    name: 'agents.people.save',
    text: `insert into agents.people as p (tenant_id, conversation_id, person_id, platform, platform_user_id, name, username,
             first_seen_at, last_seen_at)
           select t, c, id, platform, pid, name, username, at, at
           from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[])
             as u (t, c, id, platform, pid, name, username, at)
           order by t, c, id
           on conflict (tenant_id, conversation_id, person_id) do update set
             name = excluded.name, username = excluded.username, last_seen_at = excluded.last_seen_at
           where p.last_seen_at < excluded.last_seen_at`,
    values: [
      column(({ tenantId }) => tenantId),
      column(({ conversationId }) => conversationId),
      newest.map(({ personId }) => personId),
      column(({ platform }) => platform),
      column(({ sender }) => sender.platformUserId),
      column(({ sender }) => sender.name),
      column(({ sender }) => sender.username ?? null),
      column(({ receivedAt }) => receivedAt),
    ],
  });
}

function newestOfEach(arrived: readonly InboundMessage[]): { personId: string; message: InboundMessage }[] {
  const newest = new Map<string, { personId: string; message: InboundMessage }>();
  for (const message of arrived) {
    const personId = personIdOf(message);
    const key = `${message.conversationId}/${personId}`;
    const known = newest.get(key);
    if (!known || known.message.seq < message.seq) newest.set(key, { personId, message });
  }
  return [...newest.values()];
}
