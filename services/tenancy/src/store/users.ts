import type { Role } from '@botyard/shared/auth/caller';
import type { PlatformTx } from '@botyard/shared/db/database';
import { and, eq, isNull } from '@botyard/shared/db/drizzle';
import { v7 as uuidv7 } from 'uuid';
import { users } from './schema.ts';

export type UserRow = typeof users.$inferSelect;

export interface ReachRow {
  user_id: string;
  email: string | null;
  is_deleted: boolean;
  roles: { tenantId: string; role: Role }[];
  selected_tenant_id: string | null;
  org_tenant_id: string | null;
}

/** A person with all that decides what they reach, in one read. */
export async function getReach(
  tx: PlatformTx,
  key: { idpUserId: string; sessionId: string; orgId: string | null },
): Promise<ReachRow | undefined> {
  const [row] = await tx.query<ReachRow & Record<string, unknown>>({
    name: 'tenancy.reach',
    text: `select u.user_id, u.email, u.deleted_at is not null as is_deleted,
             coalesce((select json_agg(json_build_object('tenantId', m.tenant_id, 'role', m.role))
                       from tenancy.memberships m where m.user_id = u.user_id), '[]') as roles,
             (select s.tenant_id from tenancy.session_tenants s
              where s.session_id = $2 and s.user_id = u.user_id) as selected_tenant_id,
             (select t.tenant_id from tenancy.tenants t where t.idp_org_id = $3) as org_tenant_id
           from tenancy.users u where u.idp_user_id = $1`,
    values: [key.idpUserId, key.sessionId, key.orgId],
  });
  return row;
}

/** Inserts a person at first sight; keeps the one who is there, also when two requests come at once. */
export async function insertUser(
  tx: PlatformTx,
  user: { idpUserId: string; email: string | null; name: string | null },
): Promise<void> {
  await tx.db
    .insert(users)
    .values({ userId: uuidv7(), ...user })
    .onConflictDoNothing({ target: users.idpUserId });
}

export async function getUserByIdpId(tx: PlatformTx, idpUserId: string): Promise<UserRow | undefined> {
  const rows = await tx.db
    .select()
    .from(users)
    .where(and(eq(users.idpUserId, idpUserId), isNull(users.deletedAt)));
  return rows[0];
}
