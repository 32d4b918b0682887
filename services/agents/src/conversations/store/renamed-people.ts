import type { DataOf } from '@botyard/contracts/events/definition';
import type { personRenamed } from '@botyard/contracts/events/webhooks';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import type { TenantTx } from '@botyard/shared/db/database';

/**
 * Gives what is stored about a person to their new identifier, so that they are one person in lists and counts. The
 * archive keeps the former one: an erasure names both.
 */
export async function renamePerson(
  tx: TenantTx,
  { tenantId, platform, from, to }: DataOf<typeof personRenamed>,
): Promise<void> {
  if (from === to) return;
  const formerId = personIdOfAccount(tenantId, { platform, platformUserId: from });
  const personId = personIdOfAccount(tenantId, { platform, platformUserId: to });
  await tx.query({
    name: 'agents.people.rename',
    text: `with former as (
             delete from agents.people where tenant_id = $1 and person_id = $2 returning *
           )
           insert into agents.people as p (tenant_id, conversation_id, person_id, platform, platform_user_id, name,
             username, first_seen_at, last_seen_at)
           select tenant_id, conversation_id, $3, platform, $4, name, username, first_seen_at, last_seen_at
           from former
           on conflict (tenant_id, conversation_id, person_id) do update set
             first_seen_at = least(p.first_seen_at, excluded.first_seen_at),
             last_seen_at = greatest(p.last_seen_at, excluded.last_seen_at)
           returning 1`,
    values: [tenantId, formerId, personId, to],
  });
  for (const table of ['quotes', 'app_records']) {
    await tx.query({
      name: `agents.${table}.rename_person`,
      text: `update agents.${table} set person_id = $3 where tenant_id = $1 and person_id = $2 returning 1`,
      values: [tenantId, formerId, personId],
    });
  }
}
