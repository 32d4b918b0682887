import { findMissingAgents } from '@botyard/contracts/events/agents';
import { authorizationChanged, type BotState, botDeleted, botSaved } from '@botyard/contracts/events/tenancy';
import type { CreateBotBody, UpdateBotBody } from '@botyard/contracts/http/bot';
import { ask } from '@botyard/shared/bus/requests';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { invalid, notFound } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import { listIntegrations } from '../../integrations/store/integrations.ts';
import { requireRoom } from '../../limits/domain/limits.ts';
import { lockTenant } from '../../store/tenants.ts';
import type { Deps } from '../deps.ts';
import {
  type BotKey,
  type BotRow,
  deleteBot as deleteBotRow,
  insertBot,
  lockBot,
  updateBot as updateBotRow,
} from '../store/bots.ts';
import { removeIntegration } from './integrations.ts';

/**
 * @throws HttpError 400 when an agent is not the tenant's, 409 when the tenant has reached its limit of bots, 503 when
 * the agents service doesn't answer.
 */
export async function createBot(deps: Deps, tenantId: string, body: CreateBotBody): Promise<BotRow> {
  await checkAgents(deps, tenantId, body.agentIds);
  const { enabled: isEnabled, ...settings } = body;
  return await withTenant(deps.database, [tenantId], async (tx) => {
    const tenant = found(await lockTenant(tx, tenantId), 'tenant');
    await requireRoom(deps, tx, { tenant, name: 'bots' });
    const bot = await insertBot(tx, { ...settings, isEnabled, tenantId, botId: uuidv7() });
    await deps.outbox.emit(tx, botSaved, toBotState(bot));
    return bot;
  });
}

/** Changes the fields in the body. @throws HttpError 400, 404, 503 as `createBot`. */
export async function updateBot(
  deps: Deps,
  { tenantId, botId }: BotKey,
  body: UpdateBotBody,
): Promise<BotRow> {
  if (body.agentIds) await checkAgents(deps, tenantId, body.agentIds);
  const { enabled: isEnabled, ...settings } = body;
  return await withTenant(deps.database, [tenantId], async (tx) => {
    const bot = found(await updateBotRow(tx, { tenantId, botId }, { ...settings, isEnabled }), 'bot');
    await deps.outbox.emit(tx, botSaved, toBotState(bot));
    return bot;
  });
}

/** Deletes a bot and its integrations, whose webhooks are then removed from the platforms. @throws HttpError 404. */
export async function deleteBot(deps: Deps, { tenantId, botId }: BotKey): Promise<void> {
  await withTenant(deps.database, [tenantId], async (tx) => {
    if (!(await lockBot(tx, { tenantId, botId }, 'update'))) throw notFound('bot');
    await removeIntegrationsOf(deps, tx, { tenantId, botId });
    await deleteBotRow(tx, { tenantId, botId });
    await deps.outbox.emit(tx, botDeleted, { tenantId, botId });
    // The bot's edges are deleted with it.
    await deps.outbox.emit(tx, authorizationChanged, { tenantId });
  });
}

async function removeIntegrationsOf(deps: Deps, tx: TenantTx, bot: BotKey): Promise<void> {
  const rows = await listIntegrations(tx, bot, { limit: 100 });
  for (const { integrationId } of rows) await removeIntegration(deps, tx, { ...bot, integrationId });
}

async function checkAgents(deps: Deps, tenantId: string, agentIds: string[]): Promise<void> {
  if (agentIds.length === 0) return;
  const { missing } = await ask(deps.bus, findMissingAgents, { tenantId, agentIds });
  if (missing.length === 0) return;
  throw invalid(
    missing.map((agentId) => ({
      path: ['agentIds', agentIds.indexOf(agentId)],
      message: 'is not an agent of this tenant',
    })),
  );
}

/** A bot in the form that is announced to other services: the fields that the event declares. */
export const toBotState = ({ words, ...bot }: BotRow): BotState => ({
  ...bot,
  words: words as BotState['words'],
});
