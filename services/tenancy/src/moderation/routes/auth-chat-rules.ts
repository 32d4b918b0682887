import type { chatRuleRoutes } from '@botyard/contracts/http/auth-chat-rules';
import { withMoments } from '@botyard/contracts/http/common';
import type { Router } from '@botyard/contracts/http/contract';
import { pageOf } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { tenantPage } from '@botyard/shared/db/tenant-page';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { getAuthorizationStats } from '../domain/authorization-stats.ts';
import {
  changeChatRules,
  grantChannel,
  grantPrivateChat,
  revokeChannelGrant,
  revokePrivateChatGrant,
} from '../domain/chat-rules.ts';
import { changeMute, mutePerson, unmute } from '../domain/moderation.ts';
import { listChannelGrants } from '../store/channel-grants.ts';
import { getMute, listMutes } from '../store/mutes.ts';
import { listPrivateChatGrants } from '../store/private-chat-grants.ts';
import { getChatRules } from '../store/rules.ts';

/** The part of `/api/auth` about the people and channels that bots accept messages from. */
export const chatRuleHandlers: Handlers<Router<typeof chatRuleRoutes>, Deps> = {
  listMutes: ({ tenantId, query: { expired, ...query } }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const rows = await listMutes(tx, tenantId, { ...query, withExpired: expired === 'true' });
      return pageOf(rows, query, withMoments, ({ muteId }) => muteId);
    }),

  createMute: async ({ tenantId, caller, body }, deps) =>
    withMoments(await mutePerson(deps, { tenantId, userId: caller.userId }, body)),

  getMute: ({ tenantId, params }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      withMoments(found(await getMute(tx, { tenantId, muteId: params.muteId }), 'mute')),
    ),

  updateMute: async ({ tenantId, params, body }, deps) =>
    withMoments(await changeMute(deps, { tenantId, muteId: params.muteId }, body)),

  deleteMute: ({ tenantId, params }, deps) => unmute(deps, { tenantId, muteId: params.muteId }),

  getChatRules: ({ tenantId, params }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      found(await getChatRules(tx, { tenantId, botId: params.botId }), 'bot'),
    ),

  updateChatRules: ({ tenantId, params, body }, deps) =>
    changeChatRules(deps, { tenantId, botId: params.botId }, body),

  listChannelGrants: tenantPage(listChannelGrants, withMoments, ({ grantId }) => grantId),

  createChannelGrant: async ({ tenantId, caller, body }, deps) =>
    withMoments(await grantChannel(deps, { tenantId, userId: caller.userId }, body)),

  deleteChannelGrant: ({ tenantId, params }, deps) =>
    revokeChannelGrant(deps, { tenantId, grantId: params.grantId }),

  listPrivateChatGrants: tenantPage(listPrivateChatGrants, withMoments, ({ grantId }) => grantId),

  createPrivateChatGrant: async ({ tenantId, caller, body }, deps) =>
    withMoments(await grantPrivateChat(deps, { tenantId, userId: caller.userId }, body)),

  deletePrivateChatGrant: ({ tenantId, params }, deps) =>
    revokePrivateChatGrant(deps, { tenantId, grantId: params.grantId }),

  getAuthorizationStats: ({ tenantId }, deps) => getAuthorizationStats(deps, tenantId),
};
