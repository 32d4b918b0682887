import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq } from '@botyard/shared/db/drizzle';
import { conversations } from '../../store/schema.ts';
import type { TicketRow } from './tickets.ts';

/** The place where the chat of a ticket is; `undefined` if the chat no longer exists. */
export async function getPlaceOfTicket(
  tx: TenantTx,
  { tenantId, conversationId }: Pick<TicketRow, 'tenantId' | 'conversationId'>,
) {
  const { integrationId, platform, place } = conversations;
  const [row] = await tx.db
    .select({ integrationId, platform, place })
    .from(conversations)
    .where(and(eq(conversations.tenantId, tenantId), eq(conversations.conversationId, conversationId)));
  return row;
}
