import type { botGroupsRouter } from '@botyard/contracts/http/bot-groups';
import { withMoments } from '@botyard/contracts/http/common';
import { platformChatIdOf } from '@botyard/contracts/http/platform';
import { tenantPage } from '@botyard/shared/db/tenant-page';
import type { Handlers } from '@botyard/shared/http/mount';
import { tenantItem } from '@botyard/shared/http/tenant-item';
import type { Deps } from '../deps.ts';
import { changeGroup } from '../domain/change-groups.ts';
import { type GroupRow, getGroup, listGroups } from '../store/groups.ts';

const toGroup = ({ chatKey, ...row }: GroupRow) => ({
  ...withMoments(row),
  platformChatId: platformChatIdOf(row.platform, chatKey),
});

export const botGroupsHandlers: Handlers<typeof botGroupsRouter, Deps> = {
  listBotGroups: tenantPage(listGroups, toGroup, ({ groupId }) => groupId),

  getBotGroup: tenantItem('group', getGroup, toGroup),

  updateBotGroup: async ({ tenantId, params: { groupId }, body }, deps) =>
    toGroup(await changeGroup(deps, { tenantId, groupId }, body)),
};
