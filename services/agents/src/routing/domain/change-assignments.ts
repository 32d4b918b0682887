import { createHash } from 'node:crypto';
import {
  type CreateAssignmentBody,
  maxAssignments,
  type UpdateAssignmentBody,
} from '@botyard/contracts/http/bot-assignment';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, notFound } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import { requireBot } from '../../conversations/domain/known-bot.ts';
import { getConversationByChat } from '../../conversations/store/chats.ts';
import { holdAgentDefinition } from '../../definitions/store/agent-definitions.ts';
import { lockLiveBot } from '../../store/bots.ts';
import type { Deps } from '../deps.ts';
import {
  type AssignmentKey,
  type AssignmentRow,
  countAssignments,
  insertAssignment,
  lockAssignment,
  updateAssignment,
} from '../store/assignments.ts';
import { getGroup } from '../store/groups.ts';

type Where = CreateAssignmentBody['where'];
type When = CreateAssignmentBody['when'];
type Place = Pick<AssignmentRow, 'chatId' | 'groupId' | 'kind' | 'threadId'>;
type Condition = Pick<AssignmentRow, 'keywords' | 'language'>;

/**
 * Assigns an agent to a place of a bot. @throws HttpError 404 when bot, agent, chat or group aren't the tenant's, or
 * the place belongs to another bot; 409 when the bot has an assignment for the same place and condition, or has too
 * many.
 */
export async function assignAgent(
  deps: Deps,
  tenantId: string,
  body: CreateAssignmentBody,
): Promise<AssignmentRow> {
  const { botId, agentId, where, when, priority } = body;
  await requireBot(deps, tenantId, botId);
  return await withTenant(deps.database, [tenantId], async (tx) => {
    // Serializes additions to the same bot, so that the count is right.
    if (!(await lockLiveBot(tx, tenantId, botId))) throw notFound('bot');
    await requireAgent(tx, tenantId, agentId);
    await requirePlace(tx, { tenantId, botId, where });
    if ((await countAssignments(tx, tenantId, botId)) >= maxAssignments)
      throw conflict(`the bot has ${maxAssignments} assignments: delete one first`);
    const held = { ...placeOf(where), ...conditionOf(when) };
    const row = { tenantId, assignmentId: uuidv7(), botId, agentId, priority };
    return await insertAssignment(tx, { ...row, ...held, fingerprint: fingerprintOf(held) });
  });
}

/** Changes the fields in the body. @throws HttpError as `assignAgent`, and 404 when there is none. */
export async function changeAssignment(
  deps: Deps,
  key: AssignmentKey,
  { agentId, where, when, priority }: UpdateAssignmentBody,
): Promise<AssignmentRow> {
  const { tenantId } = key;
  return await withTenant(deps.database, [tenantId], async (tx) => {
    const row = found(await lockAssignment(tx, key), 'assignment');
    if (agentId) await requireAgent(tx, tenantId, agentId);
    if (where) await requirePlace(tx, { tenantId, botId: row.botId, where });
    const held = {
      ...placeOf(where ?? row),
      ...(when ? conditionOf(when) : { keywords: row.keywords, language: row.language }),
    };
    const changed = await updateAssignment(tx, key, {
      ...held,
      fingerprint: fingerprintOf(held),
      agentId,
      priority,
    });
    return changed!;
  });
}

async function requireAgent(tx: TenantTx, tenantId: string, agentId: string): Promise<void> {
  if (!(await holdAgentDefinition(tx, tenantId, agentId))) throw notFound('agent');
}

async function requirePlace(
  tx: TenantTx,
  { tenantId, botId, where }: { tenantId: string; botId: string; where: Where },
): Promise<void> {
  const { chatId, groupId } = where;
  const chat = chatId ? await getConversationByChat(tx, tenantId, chatId) : undefined;
  if (chatId && chat?.botId !== botId) throw notFound('chat');
  const group = groupId ? await getGroup(tx, { tenantId, groupId }) : undefined;
  if (groupId && group?.botId !== botId) throw notFound('group');
}

const placeOf = ({ chatId, groupId, kind, threadId }: Partial<Place> | Where): Place => ({
  chatId: chatId ?? null,
  groupId: groupId ?? null,
  kind: kind ?? null,
  threadId: threadId ?? null,
});

const conditionOf = ({ keywords = [], language }: When): Condition => ({
  keywords: [...new Set(keywords)].sort(),
  language: language ?? null,
});

/** Equal for assignments with the same place and condition. */
function fingerprintOf({ chatId, groupId, kind, threadId, keywords, language }: Place & Condition): string {
  const held = JSON.stringify([chatId, groupId, kind, threadId, keywords, language]);
  return createHash('sha256').update(held).digest('base64url');
}
