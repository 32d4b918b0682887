import { maxOpenGroups, type UpdateBotGroupBody } from '@botyard/contracts/http/bot-groups';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict } from '@botyard/shared/http/errors';
import type { Deps } from '../../deps.ts';
import { lockLiveBot } from '../../store/bots.ts';
import { countOpenGroups, type GroupKey, type GroupRow, getGroup, updateGroup } from '../store/groups.ts';
import { announceGroup } from './announce-group.ts';

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
    throw conflict(
      `the bot already answers everything in ${maxOpenGroups} groups: change one of them first`,
      {
        code: 'limit_reached',
      },
    );
}
