import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import { getTableColumns } from '@botyard/shared/db/drizzle';
import { unnest } from '@botyard/shared/db/named-values';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
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
export const savePeople = preparedStatement({
  name: 'agents.people.save',
  text: `insert into agents.people as p (${newest.columns}, first_seen_at)
         select ${newest.columns}, last_seen_at
         from ${newest}
         order by tenant_id, conversation_id, person_id
         on conflict (tenant_id, conversation_id, person_id) do update set
           name = excluded.name, username = excluded.username, last_seen_at = excluded.last_seen_at
         where p.last_seen_at < excluded.last_seen_at`,
  values: (arrived: readonly InboundMessage[]) => {
    const inOrder = arrived.toSorted((one, other) => one.seq - other.seq);
    const newestOfEach = new Map(
      inOrder.map((message) => {
        const personId = personIdOf(message);
        const { conversationId, sender, receivedAt: lastSeenAt } = message;
        const row = { username: null, ...message, ...sender, personId, lastSeenAt };
        return [`${conversationId}/${personId}`, row];
      }),
    );
    return newest.values([...newestOfEach.values()]);
  },
});
