import { type AnyPgColumn, and, eq, type SQL } from '@botyard/shared/db/drizzle';
import { conversations } from './schema.ts';

export type ConversationKey = Pick<typeof conversations.$inferSelect, 'tenantId' | 'conversationId'>;

/** The condition that joins a row to its conversation. */
export const conversationOf = (row: {
  tenantId: AnyPgColumn;
  conversationId: AnyPgColumn;
}): SQL | undefined =>
  and(eq(conversations.tenantId, row.tenantId), eq(conversations.conversationId, row.conversationId));
