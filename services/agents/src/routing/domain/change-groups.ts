import { groupSaved } from '@botyard/contracts/events/agents';
import type { DataOf } from '@botyard/contracts/events/definition';
import type { chatMigrated } from '@botyard/contracts/events/webhooks';
import { maxOpenGroups, type UpdateBotGroupBody } from '@botyard/contracts/http/bot-groups';
import { platformChatIdOf } from '@botyard/contracts/http/platform';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict } from '@botyard/shared/http/errors';
import { adoptInterim, movePlace } from '../../conversations/store/moved-chats.ts';
import { lockLiveBot } from '../../store/bots.ts';
import type { Deps } from '../deps.ts';
import {
  countOpenGroups,
  type GroupKey,
  type GroupRow,
  getGroup,
  moveGroup,
  updateGroup,
} from '../store/groups.ts';

/**
 * Changes the fields in the body, which define a bot's behaviour in a group. The change is announced to the webhooks
 * service, which delivers the messages that the bot answers. @throws HttpError 404 when there is no such group, 409 for
 * a channel that is to be answered, and when the bot answers everything in too many groups.
 */
export async function changeGroup(deps: Deps, key: GroupKey, body: UpdateBotGroupBody): Promise<GroupRow> {
  return await withTenant(deps.database, [key.tenantId], async (tx) => {
    const group = found(await getGroup(tx, key), 'group');
    if (body.answersWhen === 'always') await requireOpenable(tx, group);
    const { answersWhen, topics, name } = body;
    const change = { answersWhen, topics: topics && [...new Set(topics)], name };
    const changed = found(await updateGroup(tx, key, change), 'group');
    await announceGroup(deps, tx, changed);
    return changed;
  });
}

async function requireOpenable(tx: TenantTx, group: GroupRow): Promise<void> {
  if (group.kind === 'channel')
    throw conflict("bots don't answer the posts of a channel: choose another `answersWhen`");
  // Serializes openings of the bot's groups, so that the count is right.
  await lockLiveBot(tx, group.tenantId, group.botId);
  if ((await countOpenGroups(tx, group)) >= maxOpenGroups)
    throw conflict(`the bot already answers everything in ${maxOpenGroups} groups: change one of them first`);
}

/** Announces a bot's rule for a group to the webhooks service, which passes on only the messages that it answers. */
async function announceGroup(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  { tenantId, botId, platform, chatKey, answersWhen, topics, revision }: GroupRow,
): Promise<void> {
  const platformChatId = platformChatIdOf(platform, chatKey);
  const group = { tenantId, botId, platform, platformChatId, answersWhen, topics, revision };
  await outbox.emit(tx, groupSaved, group);
}

/**
 * Moves a group that became a supergroup. The conversation stays the same, so its history, agent, order and the bot's
 * behavior in it continue there. If the old group had no messages, there is nothing to move.
 */
export async function moveChat(
  deps: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  migration: DataOf<typeof chatMigrated>,
): Promise<void> {
  if (await movePlace(tx, migration)) await adoptInterim(tx, migration);
  const group = await moveGroup(tx, migration);
  if (group) await announceGroup(deps, tx, group);
}
