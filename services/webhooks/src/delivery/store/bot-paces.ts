import { platformCapabilities } from '@botyard/contracts/http/platform';
import type { TenantTx } from '@botyard/shared/db/database';
import { getTableColumns } from '@botyard/shared/db/drizzle';
import { number } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { botPaces } from '../../store/schema.ts';
import type { ClaimedChat } from './chats.ts';

interface Bot {
  tenantId: string;
  botId: string;
}

/** A chat of a bot on a platform. */
type PacedChat = Pick<ClaimedChat, 'tenantId' | 'botId' | 'integrationId' | 'platform'>;

/**
 * The key of a bot's pace: each platform has its own. For the platforms that were there before others it is the bot,
 * otherwise the integration.
 */
export const paceKeyOf = ({ botId, integrationId, platform }: Omit<PacedChat, 'tenantId'>): string =>
  platformCapabilities[platform].namesChatsAlone ? botId : integrationId;

/** The pace of a bot, and the changes of one transaction. */
export interface BotPace extends Bot {
  /** How far it is ahead of the current time. */
  aheadMs: number;
  /** Until when its slots are booked, from now. */
  bookedMs: number;
  /** By how much sends of this transaction advance it. */
  addedMs: number;
  /** This transaction has booked slots. */
  hasBooked: boolean;
}

const lockText = typedSql`
  select ${columns({
    botId: botPaces.botId,
    aheadMs: number('greatest(0, extract(epoch from (paced_until - now())) * 1000)'),
    bookedMs: number('greatest(0, extract(epoch from (coalesce(booked_until, now()) - now())) * 1000)'),
  })}
  from webhooks.bot_paces
  where tenant_id = any ($1::uuid[]) and bot_id = any ($2::uuid[])
  order by tenant_id, bot_id
  for update`;

/** The paces of the bots of these chats by their keys, locked if they have one, always in the same order. */
export async function lockBotPaces(tx: TenantTx, paced: readonly PacedChat[]): Promise<Map<string, BotPace>> {
  if (paced.length === 0) return new Map();
  const bots = paced.map((chat): Bot => ({ tenantId: chat.tenantId, botId: paceKeyOf(chat) }));
  const rows = await tx.query({
    name: 'webhooks.bot_paces.lock',
    text: lockText,
    values: [bots.map(({ tenantId }) => tenantId), bots.map(({ botId }) => botId)],
  });
  const locked = new Map(rows.map((row) => [row.botId, row]));
  const unused = { aheadMs: 0, bookedMs: 0 };
  return new Map(
    bots.map(({ tenantId, botId }) => [
      botId,
      { tenantId, botId, addedMs: 0, hasBooked: false, ...(locked.get(botId) ?? unused) },
    ]),
  );
}

const { tenantId, botId } = getTableColumns(botPaces);
const changed = unnest('changed', { tenantId, botId, addedMs: 'float8', bookedMs: 'float8' });
const saveText = `
  insert into webhooks.bot_paces as p (tenant_id, bot_id, paced_until, booked_until)
  select tenant_id, bot_id, now() + make_interval(secs => added_ms / 1000), now() + make_interval(secs => booked_ms / 1000)
  from ${changed}
  order by tenant_id, bot_id
  on conflict (tenant_id, bot_id) do update set
    paced_until = greatest(p.paced_until, now()) + (excluded.paced_until - now()),
    booked_until = coalesce(excluded.booked_until, p.booked_until)`;

/** Saves the paces that this transaction has changed. */
export async function saveBotPaces(tx: TenantTx, paces: Iterable<BotPace>): Promise<void> {
  const changes = [...paces].filter(({ addedMs, hasBooked }) => addedMs > 0 || hasBooked);
  if (changes.length === 0) return;
  const values = changed.values(
    changes.map(({ bookedMs, hasBooked, ...pace }) => ({ ...pace, bookedMs: hasBooked ? bookedMs : null })),
  );
  await tx.query({ name: 'webhooks.bot_paces.save', text: saveText, values });
}
