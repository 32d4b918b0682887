import type {
  ChannelGrant,
  chatRuleRoutes,
  Mute,
  PrivateChatGrant,
} from '@botyard/contracts/http/auth-chat-rules';
import type { Router } from '@botyard/contracts/http/contract';
import { pageOf } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../../deps.ts';
import { getAuthorizationStats } from '../domain/authorization-stats.ts';
import {
  changeChatRules,
  grantChannel,
  grantPrivateChat,
  revokeChannelGrant,
  revokePrivateChatGrant,
} from '../domain/chat-rules.ts';
import { changeMute, mutePerson, unmute } from '../domain/moderation.ts';
import { type ChannelGrantRow, listChannelGrants } from '../store/channel-grants.ts';
import { getMute, listMutes, type MuteRow } from '../store/mutes.ts';
import { listPrivateChatGrants, type PrivateChatGrantRow } from '../store/private-chat-grants.ts';
import { getChatRules } from '../store/rules.ts';

/** The part of `/api/auth` that says whom bots hear, and where. */
export const chatRuleHandlers: Handlers<Router<typeof chatRuleRoutes>, Deps> = {
  listMutes: ({ tenantId, query: { expired, ...query } }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const rows = await listMutes(tx, tenantId, { ...query, withExpired: expired === 'true' });
      return pageOf(rows, query, toMute, ({ muteId }) => muteId);
    }),

  createMute: async ({ tenantId, caller, body }, deps) =>
    toMute(await mutePerson(deps, { tenantId, userId: caller.userId }, body)),

  getMute: ({ tenantId, params }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const mute = await getMute(tx, { tenantId, muteId: params.muteId });
      if (!mute) throw notFound('mute');
      return toMute(mute);
    }),

  updateMute: async ({ tenantId, params, body }, deps) =>
    toMute(await changeMute(deps, { tenantId, muteId: params.muteId }, body)),

  deleteMute: ({ tenantId, params }, deps) => unmute(deps, { tenantId, muteId: params.muteId }),

  getChatRules: ({ tenantId, params }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const rules = await getChatRules(tx, { tenantId, botId: params.botId });
      if (!rules) throw notFound('bot');
      return rules;
    }),

  updateChatRules: ({ tenantId, params, body }, deps) =>
    changeChatRules(deps, { tenantId, botId: params.botId }, body),

  listChannelGrants: ({ tenantId, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      pageOf(await listChannelGrants(tx, tenantId, query), query, toChannelGrant, ({ grantId }) => grantId),
    ),

  createChannelGrant: async ({ tenantId, caller, body }, deps) =>
    toChannelGrant(await grantChannel(deps, { tenantId, userId: caller.userId }, body)),

  deleteChannelGrant: ({ tenantId, params }, deps) =>
    revokeChannelGrant(deps, { tenantId, grantId: params.grantId }),

  listPrivateChatGrants: ({ tenantId, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const rows = await listPrivateChatGrants(tx, tenantId, query);
      return pageOf(rows, query, toPrivateChatGrant, ({ grantId }) => grantId);
    }),

  createPrivateChatGrant: async ({ tenantId, caller, body }, deps) =>
    toPrivateChatGrant(await grantPrivateChat(deps, { tenantId, userId: caller.userId }, body)),

  deletePrivateChatGrant: ({ tenantId, params }, deps) =>
    revokePrivateChatGrant(deps, { tenantId, grantId: params.grantId }),

  getAuthorizationStats: ({ tenantId }, deps) => getAuthorizationStats(deps, tenantId),
};

const toMute = ({ until, createdAt, ...row }: MuteRow): Mute => ({
  ...row,
  until: until?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
});

const toChannelGrant = ({ createdAt, ...row }: ChannelGrantRow): ChannelGrant => ({
  ...row,
  createdAt: createdAt.toISOString(),
});

const toPrivateChatGrant = ({ until, createdAt, ...row }: PrivateChatGrantRow): PrivateChatGrant => ({
  ...row,
  until: until?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
});
