import { z } from 'zod';
import { Refusal } from '../events/tenancy.ts';
import { id, moment } from './common.ts';
import { route } from './contract.ts';
import { PageQuery } from './page.ts';
import { oneOfPlatforms, PlatformName } from './platform.ts';

/** Limit per kind and tenant, beyond which it is 422; expired rules don't count. */
export const maxMutes = 10_000;
export const maxChannelGrants = 10_000;
export const maxPrivateChatGrants = 10_000;

const access = 'admin';

const reason = z.string().trim().min(1).max(500);
/** A past moment would be a mistake that nobody notices. */
const until = moment.refine((text) => Date.parse(text) > Date.now(), 'must lie in the future');

export const Mute = z
  .object({
    muteId: id,
    platform: PlatformName,
    platformUserId: z.string(),
    botId: id.nullable().describe('`null`: every bot of the tenant.'),
    reason: z.string().nullable(),
    until: moment.nullable().describe('`null`: until it is deleted.'),
    createdBy: id.nullable(),
    createdAt: moment,
  })
  .meta({ id: 'Mute', description: 'That bots do not listen to a person.' });
export type Mute = z.input<typeof Mute>;

const muteFields = {
  botId: id.nullish().describe('Without it, every bot of the tenant.'),
  reason: reason.nullish(),
  until: until.nullish(),
};
export const CreateMuteBody = oneOfPlatforms('platform', ({ chatId }) => ({
  platformUserId: chatId,
  ...muteFields,
}));
export type CreateMuteBody = z.output<typeof CreateMuteBody>;

export const UpdateMuteBody = z.object({ reason: reason.nullish(), until: until.nullish() });
export type UpdateMuteBody = z.output<typeof UpdateMuteBody>;

const MuteQuery = PageQuery.extend({
  botId: id.optional().describe('Mutes of this bot alone; those of every bot are not among them.'),
  platform: PlatformName.optional(),
  platformUserId: z.string().max(254).toLowerCase().optional(),
  expired: z.enum(['true', 'false']).optional().describe('`true`: those that are over, too.'),
});

const Served = z.enum(['all', 'granted']);
export const ChatRules = z
  .object({
    botId: id,
    channels: Served.describe('Groups and channels that the bot serves: all, or those with a grant.'),
    privateChats: Served.describe('Who may write to the bot in private: everybody, or those with a grant.'),
  })
  .meta({ id: 'ChatRules', description: 'Where a bot answers, and whom.' });

const UpdateChatRulesBody = z.object({ channels: Served.optional(), privateChats: Served.optional() });

const name = z.string().trim().min(1).max(200);

export const ChannelGrant = z
  .object({
    grantId: id,
    botId: id,
    platform: PlatformName,
    platformChatId: z.string(),
    title: z.string().nullable().describe('What an admin calls the chat; `null` where no title was given.'),
    createdBy: id.nullable(),
    createdAt: moment,
  })
  .meta({
    id: 'ChannelGrant',
    description: 'That a bot serves a group or channel although it does not serve all.',
  });
export type ChannelGrant = z.input<typeof ChannelGrant>;

const channelGrantFields = {
  botId: id,
  title: name.nullish().describe('What to call the chat, for other admins.'),
};
export const CreateChannelGrantBody = oneOfPlatforms('platform', ({ chatId }) => ({
  platformChatId: chatId,
  ...channelGrantFields,
}));
export type CreateChannelGrantBody = z.output<typeof CreateChannelGrantBody>;

export const PrivateChatGrant = z
  .object({
    grantId: id,
    botId: id,
    platform: PlatformName,
    platformUserId: z.string(),
    name: z.string().nullable().describe('What an admin calls the person; `null` where no name was given.'),
    until: moment.nullable().describe('`null`: until it is deleted.'),
    createdBy: id.nullable(),
    createdAt: moment,
  })
  .meta({
    id: 'PrivateChatGrant',
    description: 'That a person may write to a bot in private although not everybody may.',
  });
export type PrivateChatGrant = z.input<typeof PrivateChatGrant>;

const privateChatGrantFields = {
  botId: id,
  name: name.nullish().describe('What to call the person, for other admins.'),
  until: until.nullish(),
};
export const CreatePrivateChatGrantBody = oneOfPlatforms('platform', ({ personId }) => ({
  platformUserId: personId,
  ...privateChatGrantFields,
}));
export type CreatePrivateChatGrantBody = z.output<typeof CreatePrivateChatGrantBody>;

const GrantQuery = PageQuery.extend({ botId: id.optional() });
const count = z.number().int();

export const AuthorizationStats = z
  .object({
    activeMutes: count,
    restrictedBots: z
      .object({
        channels: count.describe('Bots that serve only groups and channels with a grant.'),
        privateChats: count.describe('Bots that only people with a grant may write to.'),
      })
      .describe('Bots that ask for a grant there.'),
    grants: z
      .object({
        channels: count.describe('For groups and channels.'),
        privateChats: count.describe('For people in private.'),
      })
      .describe('Those that have not expired.'),
    policies: count,
    edges: z
      .object({
        admin: count.describe('With the relation `admin`.'),
        member: count.describe('With the relation `member`.'),
      })
      .describe('Relationships by relation; memberships of the tenant are among them.'),
    refusals: z
      .object({
        byReason: z.record(Refusal, count).meta({
          description: 'How many for each reason.',
          examples: [{ muted: 2, 'channel not granted': 0, 'private chat not granted': 1, policy: 0 }],
        }),
        byDay: z.array(z.object({ day: z.iso.date(), refused: count })).describe('The oldest day first.'),
      })
      .describe('Messages that were not heard, of today and the six days (UTC) before.'),
  })
  .meta({
    id: 'AuthorizationStats',
    description: 'How much is muted, granted, related and refused in the tenant.',
  });
export type AuthorizationStats = z.input<typeof AuthorizationStats>;

/** The part of `/api/auth` that says whom bots hear, and where; messages follow changes within a second. */
export const chatRuleRoutes = {
  listMutes: route({
    method: 'get',
    path: '/moderation',
    access,
    summary: 'List the people whom bots do not listen to.',
    query: MuteQuery,
    response: z.array(Mute),
    paged: true,
  }),
  createMute: route({
    method: 'post',
    path: '/moderation',
    access,
    summary: 'Mute a person for one bot or for all of the tenant.',
    description:
      'The same mute again is 409, unless it has expired: then it is replaced. ' +
      `A tenant has at most ${maxMutes} mutes, one more is 422; expired ones make room.`,
    body: CreateMuteBody,
    response: Mute,
    status: 201,
    errors: [404, 409, 422],
  }),
  getMute: route({
    method: 'get',
    path: '/moderation/:muteId',
    access,
    summary: 'Get a mute, also an expired one.',
    response: Mute,
  }),
  updateMute: route({
    method: 'put',
    path: '/moderation/:muteId',
    access,
    summary: 'Change the reason of a mute or its end: the fields that the body carries, `null` empties one.',
    body: UpdateMuteBody,
    response: Mute,
  }),
  deleteMute: route({
    method: 'delete',
    path: '/moderation/:muteId',
    access,
    summary: 'Unmute: the next message is answered again.',
  }),
  getChatRules: route({
    method: 'get',
    path: '/bots/:botId',
    access,
    summary: 'Get where a bot answers and whom: everywhere and everybody, unless something else was set.',
    response: ChatRules,
  }),
  updateChatRules: route({
    method: 'put',
    path: '/bots/:botId',
    access,
    summary: 'Change where a bot answers and whom: the fields that the body carries.',
    body: UpdateChatRulesBody,
    response: ChatRules,
  }),
  listChannelGrants: route({
    method: 'get',
    path: '/channel-grants',
    access,
    summary: 'List the groups and channels that bots serve by a grant.',
    query: GrantQuery,
    response: z.array(ChannelGrant),
    paged: true,
  }),
  createChannelGrant: route({
    method: 'post',
    path: '/channel-grants',
    access,
    summary: 'Let a bot serve a group or channel. It matters once `channels` of the bot is `granted`.',
    description: `The same grant again is 409; more than ${maxChannelGrants} in a tenant is 422.`,
    body: CreateChannelGrantBody,
    response: ChannelGrant,
    status: 201,
    errors: [404, 409, 422],
  }),
  deleteChannelGrant: route({
    method: 'delete',
    path: '/channel-grants/:grantId',
    access,
    summary: "Take a bot's grant for a group or channel back.",
  }),
  listPrivateChatGrants: route({
    method: 'get',
    path: '/private-chat-grants',
    access,
    summary: 'List who may write to bots in private by a grant, also by an expired one.',
    query: GrantQuery,
    response: z.array(PrivateChatGrant),
    paged: true,
  }),
  createPrivateChatGrant: route({
    method: 'post',
    path: '/private-chat-grants',
    access,
    summary:
      'Let a person write to a bot in private. It matters once `privateChats` of the bot is `granted`.',
    description:
      'The same grant again is 409, unless it has expired: then it is replaced. ' +
      `More than ${maxPrivateChatGrants} in a tenant is 422; expired ones make room.`,
    body: CreatePrivateChatGrantBody,
    response: PrivateChatGrant,
    status: 201,
    errors: [404, 409, 422],
  }),
  deletePrivateChatGrant: route({
    method: 'delete',
    path: '/private-chat-grants/:grantId',
    access,
    summary: "Take a person's grant for private chats back.",
  }),
  getAuthorizationStats: route({
    method: 'get',
    path: '/stats',
    access,
    summary: 'How much is muted, granted, related and refused in the tenant.',
    response: AuthorizationStats,
    errors: [503],
  }),
};
