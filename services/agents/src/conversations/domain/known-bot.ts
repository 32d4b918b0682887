import { findBot } from '@botyard/contracts/events/tenancy';
import { ask } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import { type BotRow, getBot, saveBot } from '../../store/bots.ts';
import type { Deps } from '../deps.ts';

/** Like `requireBot`, but also finds a deleted bot, because its messages are kept. @throws HttpError 404, 503. */
export async function requireBotEver(
  deps: Pick<Deps, 'bus' | 'database'>,
  tenantId: string,
  botId: string,
): Promise<BotRow> {
  const row = await withTenant(deps.database, [tenantId], (tx) => getBot(tx, tenantId, botId));
  return row ?? (await requireBot(deps, tenantId, botId));
}

/**
 * The bot in its current state. The tenancy service is asked, because the latest change may not have been announced
 * here yet. @throws HttpError 404 if the bot doesn't exist, 503 if the tenancy service doesn't answer.
 */
export async function requireBot(
  { bus, database }: Pick<Deps, 'bus' | 'database'>,
  tenantId: string,
  botId: string,
): Promise<BotRow> {
  const { bot } = await ask(bus, findBot, { tenantId, botId });
  if (!bot) throw notFound('bot');
  const row = await withTenant(database, [tenantId], async (tx) => {
    await saveBot(tx, bot);
    return await getBot(tx, tenantId, botId);
  });
  if (!row || row.deletedAt) throw notFound('bot');
  return row;
}
