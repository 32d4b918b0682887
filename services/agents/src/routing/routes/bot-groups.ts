import type { BotGroup, botGroupsRouter } from '@botyard/contracts/http/bot-groups';
import { pageOf } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../../deps.ts';
import { changeGroup } from '../domain/change-groups.ts';
import { type GroupRow, getGroup, listGroups } from '../store/groups.ts';

export const botGroupsHandlers: Handlers<typeof botGroupsRouter, Deps> = {
  listBotGroups: ({ tenantId, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      pageOf(await listGroups(tx, tenantId, query), query, toBotGroup, ({ groupId }) => groupId),
    ),

  getBotGroup: ({ tenantId, params: { groupId } }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const row = await getGroup(tx, { tenantId, groupId });
      if (!row) throw notFound('group');
      return toBotGroup(row);
    }),

  updateBotGroup: async ({ tenantId, params: { groupId }, body }, deps) =>
    toBotGroup(await changeGroup(deps, { tenantId, groupId }, body)),
};

const toBotGroup = ({ createdAt, lastMessageAt, overheardAt, ...row }: GroupRow): BotGroup => ({
  ...row,
  createdAt: createdAt.toISOString(),
  lastMessageAt: lastMessageAt.toISOString(),
  overheardAt: overheardAt?.toISOString() ?? null,
});
