import { personIdOfUser } from '@botyard/shared/auth/person-id';
import type { TenantTx } from '@botyard/shared/db/database';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { v7 as uuidv7 } from 'uuid';
import { staff } from '../../store/chat-schema.ts';

/** A user as one of the tenant's staff: chats and messages refer to them only by this identifier. */
export async function saveStaff(tx: TenantTx, tenantId: string, userId: string): Promise<string> {
  const [row] = await tx.query({
    name: 'agents.staff.save',
    text: typedSql`insert into agents.staff (tenant_id, staff_id, user_id, person_id) values ($1, $2, $3, $4)
           on conflict (tenant_id, user_id) do update set user_id = excluded.user_id
           returning ${columns({ staffId: staff.staffId })}`,
    values: [tenantId, uuidv7(), userId, personIdOfUser(tenantId, userId)],
  });
  return row!.staffId;
}

/** Their messages, notes and chats lose their author. Returns the number of deleted staff. */
export const deleteStaff = preparedStatement({
  name: 'agents.staff.delete',
  text: `with gone as (
           delete from agents.staff where tenant_id = $1 and person_id = any ($2::uuid[]) and created_at <= $3 returning staff_id
         ), unread as (
           delete from agents.chat_reads r using gone where r.tenant_id = $1 and r.staff_id = gone.staff_id
         )
         select 1 from gone`,
  values: (erased: { tenantId: string; personIds: readonly string[]; erasedBefore: Date }) => [
    erased.tenantId,
    erased.personIds,
    erased.erasedBefore,
  ],
  result: (rows) => rows.length,
});
