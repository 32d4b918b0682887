import type { BotState } from '@botyard/contracts/events/tenancy';
import {
  defaultAnswerDeadlineSeconds,
  defaultDelayNoticeSeconds,
  defaultHandbackAfterMinutes,
} from '@botyard/contracts/http/bot';
import { defaultLanguageOfBots } from '@botyard/contracts/http/bot-words';
import type { AnyTx, TenantTx } from '@botyard/shared/db/database';
import { and, eq, isNull } from '@botyard/shared/db/drizzle';
import { bots } from './schema.ts';

export type BotRow = typeof bots.$inferSelect;

/** Default for a bot whose announcement lacks it. */
const defaultAnswerWithinMinutes = 60;

/** Saves an announced bot, unless a newer state is known, or its tenant was deleted. */
export async function saveBot(tx: AnyTx, bot: BotState): Promise<void> {
  const { tenantId, botId, name, agentIds, isEnabled, joinWindowMs, revision } = bot;
  await tx.query({
    name: 'agents.bots.put',
    text: `insert into agents.bots as b (tenant_id, bot_id, name, agent_ids, is_enabled, join_window_ms, revision,
             answer_deadline_seconds, delay_notice_seconds, answer_within_minutes, handback_after_minutes,
             default_language, words)
           select $tenantId, $botId, $name, $agentIds, $isEnabled, $joinWindowMs, $revision,
             $answerDeadlineSeconds, $delayNoticeSeconds, $answerWithinMinutes, $handbackAfterMinutes, $defaultLanguage, $words::jsonb
           where not exists (select from agents.deleted_tenants where tenant_id = $tenantId)
           on conflict (tenant_id, bot_id) do update set name = excluded.name, agent_ids = excluded.agent_ids,
             is_enabled = excluded.is_enabled, join_window_ms = excluded.join_window_ms, revision = excluded.revision,
             answer_deadline_seconds = excluded.answer_deadline_seconds, delay_notice_seconds = excluded.delay_notice_seconds,
             answer_within_minutes = excluded.answer_within_minutes, handback_after_minutes = excluded.handback_after_minutes,
             default_language = excluded.default_language, words = excluded.words
           where b.revision < excluded.revision`,
    values: {
      ...{ tenantId, botId, name, agentIds, isEnabled, joinWindowMs, revision },
      answerDeadlineSeconds: bot.answerDeadlineSeconds ?? defaultAnswerDeadlineSeconds,
      delayNoticeSeconds: bot.delayNoticeSeconds ?? defaultDelayNoticeSeconds,
      answerWithinMinutes: bot.answerWithinMinutes ?? defaultAnswerWithinMinutes,
      handbackAfterMinutes: bot.handbackAfterMinutes ?? defaultHandbackAfterMinutes,
      defaultLanguage: bot.defaultLanguage ?? defaultLanguageOfBots,
      words: JSON.stringify(bot.words ?? {}),
    },
  });
}

/** Leaves a tombstone, so that a late announcement can't bring the bot back. */
export async function deleteBot(tx: TenantTx, bot: { tenantId: string; botId: string }): Promise<void> {
  await tx.query({
    name: 'agents.bots.delete',
    text: `insert into agents.bots as b (tenant_id, bot_id, name, agent_ids, is_enabled, join_window_ms, revision, deleted_at)
           values ($1, $2, '', '{}', false, 0, 2147483647, now())
           on conflict (tenant_id, bot_id) do update set deleted_at = now(), is_enabled = false, revision = excluded.revision,
             words = '{}'`,
    values: [bot.tenantId, bot.botId],
  });
}

/** Deleted ones, too: a tombstone has a `deletedAt`. */
export async function getBot(tx: TenantTx, tenantId: string, botId: string): Promise<BotRow | undefined> {
  const [row] = await tx.db
    .select()
    .from(bots)
    .where(and(eq(bots.tenantId, tenantId), eq(bots.botId, botId)));
  return row;
}

/** Locks the bot's dependent data until the transaction ends. `false` when it isn't alive. */
export async function lockLiveBot(tx: TenantTx, tenantId: string, botId: string): Promise<boolean> {
  const rows = await tx.db
    .select({ botId: bots.botId })
    .from(bots)
    .where(and(eq(bots.tenantId, tenantId), eq(bots.botId, botId), isNull(bots.deletedAt)))
    .for('no key update');
  return rows.length > 0;
}
