import type { TenantTx } from '@botyard/shared/db/database';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';

interface Responder {
  tenantId: string;
  userId: string;
  botIds: readonly string[];
  createdBy: string;
}

/** Whether the tenant has all of these bots. */
export async function haveBots(tx: TenantTx, tenantId: string, botIds: readonly string[]): Promise<boolean> {
  const rows = await tx.query({
    name: 'tenancy.invitations.bots',
    text: 'select 1 from tenancy.bots where tenant_id = $1 and bot_id = any ($2::uuid[])',
    values: [tenantId, botIds],
  });
  return rows.length === new Set(botIds).size;
}

/** Lets a person answer these bots, as far as they still exist. Returns the number of bots that exist. */
export const insertResponder = preparedStatement({
  name: 'tenancy.invitations.responder',
  text: `
    with existing as (
      select bot_id
      from tenancy.bots
      where tenant_id = $tenantId and bot_id = any ($botIds::uuid[])
    ), inserted as (
      insert into tenancy.edges
        (tenant_id, subject_type, subject_id, relation, object_type, object_id, bot_id, created_by)
      select $tenantId, 'user', $userId::uuid::text, 'responder', 'bot', bot_id::text, bot_id, $createdBy
      from existing
      on conflict on constraint edges_once do nothing
    )
    select 1 from existing`,
  values: ({ tenantId, userId, botIds, createdBy }: Responder) => ({ tenantId, userId, botIds, createdBy }),
  result: (rows) => rows.length,
});
