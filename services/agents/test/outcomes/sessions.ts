import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { AgentsServices } from '../agents-services.ts';

const hourMs = 3_600_000;

interface InsertedTurn {
  hoursAgo: number;
  outcome?: 'answered' | 'apologized' | 'command';
  text?: string;
  command?: 'stop';
  toolCalls?: object[];
  agentVersion?: number;
}

interface InsertedSession {
  tenantId: string;
  agentId: string;
  botId?: string;
  conversationId?: string;
  platformUserId?: string;
  turns: InsertedTurn[];
}

/** A session with these turns, each of one message of the person, as if they had been answered then. */
export async function insertSession(
  { harness }: AgentsServices,
  { tenantId, agentId, turns, ...more }: InsertedSession,
): Promise<{ conversationId: string; chatId: string; sessionId: string; turnIds: string[] }> {
  const { botId = randomUUID(), conversationId = randomUUID(), platformUserId = '77' } = more;
  const [chat] = await harness.asOwner<{ chat_id: string }>(
    `insert into agents.conversations (tenant_id, conversation_id, chat_id, bot_id, integration_id, platform, place)
     values ($1, $2, $3, $4, gen_random_uuid(), 'messenger', '{"platformChatId":"77","kind":"private","title":"Ann"}')
     on conflict (tenant_id, conversation_id) do update set bot_id = excluded.bot_id
     returning chat_id`,
    [tenantId, conversationId, uuidv7(), botId],
  );
  // These turns are older than those of sessions that were inserted before.
  await harness.asOwner('delete from agents.session_sweeps where tenant_id = $1', [tenantId]);
  const sessionId = uuidv7();
  const turnIds: string[] = [];
  for (const [index, turn] of turns.entries()) {
    const { hoursAgo, outcome = 'answered', text = `question ${index}`, command, toolCalls = [] } = turn;
    const at = Date.now() - hoursAgo * hourMs;
    const [turnId, messageId] = [uuidv7({ msecs: at }), uuidv7({ msecs: at })];
    const seq = await harness.asOwner<{ next: string }>(
      'select coalesce(max(seq), 0) + 1 as next from agents.messages where conversation_id = $1',
      [conversationId],
    );
    await harness.asOwner(
      `insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, command,
         sender, status, received_at)
       values ($1, $2, $3, 'in', $4, $5, 'text', $6, $7, 'answered', $8)`,
      [
        ...[tenantId, messageId, conversationId, seq[0]!.next, text],
        command ? JSON.stringify({ name: command }) : null,
        JSON.stringify({ platformUserId, name: 'Ann' }),
        new Date(at),
      ],
    );
    await harness.asOwner(
      `insert into agents.turns (tenant_id, turn_id, conversation_id, message_ids, reply_id, agent_id, agent_version,
         session_id, outcome, key_source, context_messages, tool_calls, input_tokens, output_tokens, is_estimated,
         duration_ms, created_at)
       values ($1, $2, $3, array[$4::uuid], gen_random_uuid(), $5, $6, $7, $8, 'none', 0, $9, 0, 0, false, 100, $10)`,
      [
        ...[tenantId, turnId, conversationId, messageId, agentId, turn.agentVersion ?? 1, sessionId, outcome],
        ...[JSON.stringify(toolCalls), new Date(at)],
      ],
    );
    turnIds.push(turnId);
  }
  return { conversationId, chatId: chat!.chat_id, sessionId, turnIds };
}
