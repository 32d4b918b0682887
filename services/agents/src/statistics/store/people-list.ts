import type { Account } from '@botyard/shared/auth/person-id';
import type { TenantTx } from '@botyard/shared/db/database';
import { count, like, moment } from '@botyard/shared/db/expressions';
import { containing } from '@botyard/shared/db/sorting';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { people } from '../../store/schema.ts';

const person = columns({
  personId: people.personId,
  platform: people.platform,
  platformUserId: people.platformUserId,
  chats: count(),
  name: like(people.name, '(array_agg(name order by last_seen_at desc))[1]'),
  username: like(people.username, '(array_agg(username order by last_seen_at desc))[1]'),
  firstSeenAt: moment('min(first_seen_at)'),
  lastSeenAt: moment('max(last_seen_at)'),
});
export type PersonRow = RowOf<typeof person>;

export interface PeopleFilter {
  tenantId: string;
  limit: number;
  /** Only people first seen before them. */
  before?: { firstSeenAt: string; personId: string } | undefined;
  personIds?: readonly string[] | undefined;
  platform?: Account['platform'] | undefined;
  platformUserId?: string | undefined;
  /** Only people who wrote to this bot; the counts then cover its chats only. */
  botId?: string | undefined;
  /** A part of the name or username, in any case. */
  search?: string | undefined;
}

/** People of a tenant with their latest names, most recently first seen first. One more than the limit. */
export async function listPeopleOfTenant(tx: TenantTx, wanted: PeopleFilter): Promise<PersonRow[]> {
  const { tenantId, before, personIds, platform, platformUserId, botId, search, limit } = wanted;
  return await tx.query({
    name: 'agents.people.list',
    text: typedSql`select * from (
             select ${person}
             from agents.people p
             where tenant_id = $1 and tenant_id <> all (array(select tenant_id from agents.deleted_tenants))
               and ($2::uuid[] is null or person_id = any ($2)) and ($3::text is null or platform = $3)
               and ($4::text is null or platform_user_id = $4)
               and ($5::uuid is null or conversation_id in
                 (select conversation_id from agents.conversations where tenant_id = $1 and bot_id = $5))
             group by person_id, platform, platform_user_id) as person
           where ($6::timestamptz is null or ("firstSeenAt", "personId") < ($6, $7::uuid))
             and ($8::text is null or name ilike $8 or username ilike $8)
           order by "firstSeenAt" desc, "personId" desc limit $9`,
    values: [
      tenantId,
      personIds ?? null,
      platform ?? null,
      platformUserId ?? null,
      botId ?? null,
      before?.firstSeenAt ?? null,
      before?.personId ?? null,
      search === undefined ? null : containing(search),
      limit + 1,
    ],
  });
}
