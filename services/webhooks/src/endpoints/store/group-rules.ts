import type { GroupState } from '@botyard/contracts/events/agents';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq } from '@botyard/shared/db/drizzle';
import { groupRules } from '../../store/schema.ts';

/** Saves the announced rules of a bot in a group, unless newer ones are known. Returns whether anything changed. */
export async function saveGroupRule(tx: TenantTx, state: GroupState): Promise<boolean> {
  const { tenantId, botId, platformChatId, answersWhen, topics, revision } = state;
  return await tx.has({
    name: 'webhooks.group_rules.put',
    text: `insert into webhooks.group_rules as r (tenant_id, bot_id, platform_chat_id, answers_when, topics, revision)
           values ($tenantId, $botId, $platformChatId, $answersWhen, $topics, $revision)
           on conflict (tenant_id, bot_id, platform_chat_id) do update set
             answers_when = excluded.answers_when, topics = excluded.topics, revision = excluded.revision
           where r.revision < excluded.revision
           returning 1`,
    values: { tenantId, botId, platformChatId, answersWhen, topics, revision },
  });
}

export type OpenGroupRow = Pick<typeof groupRules.$inferSelect, 'platformChatId' | 'topics'>;

const maxOpenGroups = 1000;

/** Groups in which a bot answers everything. */
export async function listOpenGroups(tx: TenantTx, tenantId: string, botId: string): Promise<OpenGroupRow[]> {
  return await tx.db
    .select({ platformChatId: groupRules.platformChatId, topics: groupRules.topics })
    .from(groupRules)
    .where(
      and(
        eq(groupRules.tenantId, tenantId),
        eq(groupRules.botId, botId),
        eq(groupRules.answersWhen, 'always'),
      ),
    )
    .limit(maxOpenGroups);
}
