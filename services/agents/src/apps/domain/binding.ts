import { createHash } from 'node:crypto';
import { type CreateBindingBody, maxBindingsOfBot } from '@botyard/contracts/http/apps-admin';
import type { PageRequest } from '@botyard/contracts/http/page';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { conflict, HttpError, invalid, notFound } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import { requireBot } from '../../conversations/domain/known-bot.ts';
import { getConversationByChat } from '../../conversations/store/chats.ts';
import { byTurn } from '../../routing/domain/routes-of-apps.ts';
import { getGroup } from '../../routing/store/groups.ts';
import { type BotRow, lockLiveBot } from '../../store/bots.ts';
import type { Deps } from '../deps.ts';
import { type AppKey, holdApp } from '../store/apps.ts';
import {
  type BindingRow,
  countBindingsOfBot,
  insertBinding,
  listBindingsOfBots,
  listBots,
} from '../store/bindings.ts';
import { requireApp } from './publishing.ts';

/**
 * Binds an app to a bot or to a part of its chats, from the next turn on.
 * @throws HttpError 404 if there is no such app; 400 if the bot, chat or group isn't the tenant's, or the place belongs
 * to another bot; 409 if the app is already bound there, or the bot has too many bindings.
 */
export async function bindApp(deps: Deps, key: AppKey, body: CreateBindingBody): Promise<BindingRow> {
  const { tenantId } = key;
  await withTenant(deps.database, [tenantId], (tx) => requireApp(tx, key));
  await requireNamedBot(deps, tenantId, body.botId);
  return await withTenant(deps.database, [tenantId], (tx) => addBinding(tx, key, body));
}

/**
 * Checks the bot in a body. @throws HttpError 400 when the tenant has no such bot, 503 when the tenancy service doesn't
 * answer.
 */
export async function requireNamedBot(deps: Deps, tenantId: string, botId: string): Promise<void> {
  try {
    await requireBot(deps, tenantId, botId);
  } catch (error) {
    throw error instanceof HttpError && error.status === 404 ? missing('botId', 'bot') : error;
  }
}

const missing = (field: string, what: string): HttpError =>
  invalid([{ path: [field], message: `is not a ${what} of this tenant, or is another bot's` }]);

/** The same as `bindApp`, inside a transaction and for a bot that this service knows. */
export async function addBinding(
  tx: TenantTx,
  key: AppKey,
  { botId, where, priority }: CreateBindingBody,
): Promise<BindingRow> {
  const { tenantId } = key;
  // Serializes bindings to the same bot, so that the count is right.
  if (!(await lockLiveBot(tx, tenantId, botId))) throw missing('botId', 'bot');
  if (!(await holdApp(tx, key))) throw notFound('app');
  await requirePlace(tx, { tenantId, botId, where });
  if ((await countBindingsOfBot(tx, tenantId, botId)) >= maxBindingsOfBot)
    throw conflict(`the bot has ${maxBindingsOfBot} apps bound to it: delete a binding first`);
  const place = {
    platform: where.platform ?? null,
    kind: where.kind ?? null,
    chatId: where.chatId ?? null,
    groupId: where.groupId ?? null,
    threadId: where.threadId ?? null,
  };
  const fingerprint = createHash('sha256')
    .update(JSON.stringify(Object.values(place)))
    .digest('base64url');
  return await insertBinding(tx, { ...key, ...place, bindingId: uuidv7(), botId, priority, fingerprint });
}

async function requirePlace(
  tx: TenantTx,
  { tenantId, botId, where }: { tenantId: string; botId: string; where: CreateBindingBody['where'] },
): Promise<void> {
  const { chatId, groupId } = where;
  const chat = chatId ? await getConversationByChat(tx, tenantId, chatId) : undefined;
  if (chatId && chat?.botId !== botId) throw missing('where.chatId', 'chat');
  const group = groupId ? await getGroup(tx, { tenantId, groupId }) : undefined;
  if (groupId && group?.botId !== botId) throw missing('where.groupId', 'group');
}

interface BotOnRoster extends BotRow {
  bindings: (BindingRow & { appName: string })[];
}

/** Bots with their bindings, in the order of precedence; one more than the page's limit. */
export async function listRoster(tx: TenantTx, tenantId: string, page: PageRequest): Promise<BotOnRoster[]> {
  const bots = await listBots(tx, tenantId, page);
  const bindings = await listBindingsOfBots(
    tx,
    tenantId,
    bots.map(({ botId }) => botId),
  );
  return bots.map((bot) => ({
    ...bot,
    bindings: bindings.filter(({ botId }) => botId === bot.botId).sort(byTurn),
  }));
}
