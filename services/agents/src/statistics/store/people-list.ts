import type { Account } from '@botyard/shared/auth/person-id';
import type { TenantTx } from '@botyard/shared/db/database';
import { count, like, moment } from '@botyard/shared/db/expressions';
import { containing, nameFor } from '@botyard/shared/db/sorting';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { people } from '../../store/schema.ts';

const person = columns({
  ...pick(people, 'personId', 'platform', 'platformUserId'),
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
  /** Only people who were first seen before this person. */
  before?: { firstSeenAt: string; personId: string } | undefined;
  personIds?: readonly string[] | undefined;
  platform?: Account['platform'] | undefined;
  platformUserId?: string | undefined;
  /** Only people who wrote to this bot; the counts then cover its chats only. */
  botId?: string | undefined;
  /** A part of the name or username, in any case. */
  search?: string | undefined;
}

/**
 * The people of a tenant with their latest names, the most recently first seen first. One more than the limit. The
 * query starts with the row in which each person was first seen, so that a page is read along an index.
 */
export async function listPeopleOfTenant(tx: TenantTx, wanted: PeopleFilter): Promise<PersonRow[]> {
  const { tenantId, before, personIds, platform, platformUserId, botId, search, limit } = wanted;
  const filters = { ids: personIds, platform, account: platformUserId, bot: botId, search, before };
  return await tx.query({
    name: nameFor('agents.people.list', filters),
    text: typedSql`select known.* from agents.people f cross join lateral (
             select ${person} from agents.people p
             where tenant_id = f.tenant_id and person_id = f.person_id and ${isOfBot('p')}
             group by person_id, platform, platform_user_id) known
           where f.tenant_id = $tenantId and not exists (select from agents.deleted_tenants where tenant_id = $tenantId)
             and f.first_seen_at > '-infinity' and ${isOfBot('f')}
             and not exists (select from agents.people p where p.tenant_id = f.tenant_id and p.person_id = f.person_id
               and (p.first_seen_at, p.conversation_id) < (f.first_seen_at, f.conversation_id) and ${isOfBot('p')})
             and ($personIds::uuid[] is null or f.person_id = any ($personIds)) and ($platform::text is null or f.platform = $platform)
             and ($platformUserId::text is null or f.platform_user_id = $platformUserId)
             and ($firstSeenAt::timestamptz is null or (f.first_seen_at, f.person_id) < ($firstSeenAt, $beforePersonId::uuid))
             and ($search::text is null or known.name ilike $search or known.username ilike $search)
           order by f.first_seen_at desc, f.person_id desc limit $limit`,
    values: {
      tenantId,
      limit: limit + 1,
      personIds: personIds ?? null,
      platform: platform ?? null,
      platformUserId: platformUserId ?? null,
      botId: botId ?? null,
      search: search === undefined ? null : containing(search),
      firstSeenAt: before?.firstSeenAt ?? null,
      beforePersonId: before?.personId ?? null,
    },
  });
}

/** Whether the chat in a row of `people` is the bot's, if a bot is given. */
const isOfBot = (row: string): string => `($botId::uuid is null or exists (select from agents.conversations c
  where c.tenant_id = ${row}.tenant_id and c.conversation_id = ${row}.conversation_id and c.bot_id = $botId))`;
