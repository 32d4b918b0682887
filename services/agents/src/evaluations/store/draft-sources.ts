import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, inArray } from '@botyard/shared/db/drizzle';
import { typedSql } from '@botyard/shared/db/typed-sql';
import { type SaidRow, said } from '../../conversations/store/messages.ts';
import { contextChunks } from '../../store/context-schema.ts';
import { toolDefinitions } from '../../store/definitions-schema.ts';
import { conversations, people, turns } from '../../store/schema.ts';

export type AnsweredTurn = typeof turns.$inferSelect;

/** The turn of an answer in this chat, with the chat's place. */
export async function getAnsweredTurn(
  tx: TenantTx,
  { tenantId, chatId, messageId }: { tenantId: string; chatId: string; messageId: string },
) {
  const { place, platform } = conversations;
  const [row] = await tx.db
    .select({ turn: turns, place, platform })
    .from(turns)
    .innerJoin(
      conversations,
      and(eq(conversations.tenantId, turns.tenantId), eq(conversations.conversationId, turns.conversationId)),
    )
    .where(and(eq(turns.tenantId, tenantId), eq(turns.replyId, messageId), eq(conversations.chatId, chatId)));
  return row;
}

/** Messages of a session that are read for a draft. */
const maxMessages = 60;

/** The messages of the turn's session until its answer, the newest first. */
export const listSession = (
  tx: TenantTx,
  { tenantId, conversationId, sessionId, replyId }: AnsweredTurn,
): Promise<SaidRow[]> =>
  tx.query({
    name: 'agents.evaluations.session',
    text: typedSql`select ${said} from agents.messages
      where (tenant_id = $tenantId) is true
        and conversation_id = $conversationId
        and message_id <= $replyId
        and message_id >= coalesce($sessionId::uuid, $replyId)
        and (status in ('answered', 'sending', 'sent', 'uncertain', 'failed')
          or (status = 'ignored' and is_for_staff and refusal is null))
        and (text <> '' or (attachment -> 'read') is not null)
        and rated_reply_id is null
      order by message_id desc
      limit ${maxMessages}`,
    values: { tenantId, conversationId, sessionId, replyId },
  });

/** Everybody who wrote in a conversation, in a fixed order. */
export const listPeopleOf = (tx: TenantTx, tenantId: string, conversationId: string) =>
  tx.db
    .select({
      personId: people.personId,
      platformUserId: people.platformUserId,
      name: people.name,
      username: people.username,
    })
    .from(people)
    .where(and(eq(people.tenantId, tenantId), eq(people.conversationId, conversationId)))
    .orderBy(people.firstSeenAt, people.personId)
    .limit(200);

/** The kinds of tools that still exist. */
export async function kindsOfTools(
  tx: TenantTx,
  tenantId: string,
  toolIds: readonly string[],
): Promise<Map<string, string>> {
  const { id, kind } = toolDefinitions;
  const rows = await tx.db
    .select({ id, kind })
    .from(toolDefinitions)
    .where(and(eq(toolDefinitions.tenantId, tenantId), inArray(id, [...toolIds])));
  return new Map(rows.map((row) => [row.id, row.kind]));
}

/** The texts of passages that still exist. */
export async function textsOfChunks(
  tx: TenantTx,
  tenantId: string,
  chunkIds: readonly string[],
): Promise<Map<string, string>> {
  const { chunkId, text } = contextChunks;
  const rows = await tx.db
    .select({ chunkId, text })
    .from(contextChunks)
    .where(and(eq(contextChunks.tenantId, tenantId), inArray(chunkId, [...chunkIds])));
  return new Map(rows.map((row) => [row.chunkId, row.text]));
}
