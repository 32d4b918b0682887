import type { GroupState } from '@botyard/contracts/events/agents';
import {
  chatKeyOf,
  isChatKeyOf,
  type PlatformName,
  platformChatIdOf,
} from '@botyard/contracts/http/platform';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { groupRules } from '../../store/schema.ts';

/** Saves the announced rules of a bot in a group, unless newer ones are known. Returns whether anything changed. */
export const saveGroupRule = preparedStatement({
  name: 'webhooks.group_rules.put',
  text: `insert into webhooks.group_rules as r (tenant_id, bot_id, platform_chat_id, answers_when, topics, revision)
         values ($tenantId, $botId, $chatKey, $answersWhen, $topics, $revision)
         on conflict (tenant_id, bot_id, platform_chat_id) do update set
           answers_when = excluded.answers_when, topics = excluded.topics, revision = excluded.revision
         where r.revision < excluded.revision
         returning 1`,
  values: (state: GroupState) => {
    const { tenantId, botId, platform, platformChatId, answersWhen, topics, revision } = state;
    const chatKey = platform ? chatKeyOf(platform, platformChatId) : platformChatId;
    return { tenantId, botId, chatKey, answersWhen, topics, revision };
  },
  result: (rows) => rows.length > 0,
});

export type OpenGroupRow = Pick<GroupState, 'platformChatId' | 'topics'>;

const maxOpenGroups = 1000;

/** Groups of a platform in which a bot answers everything. */
export async function listOpenGroups(
  tx: TenantTx,
  { tenantId, botId, platform }: { tenantId: string; botId: string; platform: PlatformName },
): Promise<OpenGroupRow[]> {
  const { chatKey, topics, answersWhen } = groupRules;
  const rows = await tx.db
    .select({ chatKey, topics })
    .from(groupRules)
    .where(and(eq(groupRules.tenantId, tenantId), eq(groupRules.botId, botId), eq(answersWhen, 'always')))
    .limit(maxOpenGroups);
  return rows
    .filter((row) => isChatKeyOf(platform, row.chatKey))
    .map((row) => ({ platformChatId: platformChatIdOf(platform, row.chatKey), topics: row.topics }));
}
