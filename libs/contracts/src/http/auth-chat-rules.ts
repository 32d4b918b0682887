import { z } from 'zod';
import { Refusal } from '../events/tenancy.ts';
import { id, moment } from './common.ts';
import { admin } from './contract.ts';
import { PageQuery } from './page.ts';
import { oneOfPlatforms, PlatformName } from './platform.ts';

/** Limits per tenant; exceeding one returns 422. Expired rules don't count. */
export const maxMutes = 10_000;
export const maxChannelGrants = 10_000;
export const maxPrivateChatGrants = 10_000;

const reason = z.string().trim().min(1).max(500);
/** A past time is rejected, because the rule would silently have no effect. */
const until = moment.refine((text) => Date.parse(text) > Date.now(), 'must be in the future');

const Mute = z
  .object({
    muteId: id,
    platform: PlatformName,
    platformUserId: z.string(),
    botId: id.nullable().describe('The bot that ignores the person; `null` for all bots of the tenant.'),
    reason: z.string().nullable(),
    until: moment.nullable().describe('When it expires; `null` if it holds until it is deleted.'),
    createdBy: id.nullable(),
    createdAt: moment,
  })
  .meta({ id: 'Mute', description: 'A mute: one bot, or all bots of the tenant, ignore a person.' });

const muteFields = {
  botId: id.nullish().describe('The bot that ignores the person. Omit it for all bots of the tenant.'),
  reason: reason.nullish(),
  until: until.nullish(),
};
export const CreateMuteBody = oneOfPlatforms('platform', ({ personId, senderId = personId }) => ({
  platformUserId: senderId,
  ...muteFields,
}));
export type CreateMuteBody = z.output<typeof CreateMuteBody>;

export const UpdateMuteBody = z.object({ reason: reason.nullish(), until: until.nullish() });
export type UpdateMuteBody = z.output<typeof UpdateMuteBody>;

const MuteQuery = PageQuery.extend({
  botId: id
    .optional()
    .describe('Only mutes for this bot. Mutes for all bots of the tenant are not included.'),
  platform: PlatformName.optional(),
  platformUserId: z.string().max(254).optional(),
  expired: z.enum(['true', 'false']).optional().describe('Whether to include expired mutes.'),
});

const Served = z.enum(['all', 'granted']);
const ChatRules = z
  .object({
    botId: id,
    channels: Served.describe(
      'The groups and channels that the bot serves: all of them, or only those with a grant.',
    ),
    privateChats: Served.describe(
      'The people who may write to the bot in private: everybody, or only those with a grant.',
    ),
  })
  .meta({ id: 'ChatRules', description: 'The chats and people that a bot answers.' });

const UpdateChatRulesBody = z.object({ channels: Served.optional(), privateChats: Served.optional() });

const name = z.string().trim().min(1).max(200);

const ChannelGrant = z
  .object({
    grantId: id,
    botId: id,
    platform: PlatformName,
    platformChatId: z.string(),
    title: z.string().nullable().describe('The title that an admin gave the chat; `null` if none was given.'),
    createdBy: id.nullable(),
    createdAt: moment,
  })
  .meta({
    id: 'ChannelGrant',
    description: 'A grant that lets a bot serve a group or channel when it is restricted to granted ones.',
  });

const channelGrantFields = {
  botId: id,
  title: name.nullish().describe('A title for the chat, displayed to admins.'),
};
export const CreateChannelGrantBody = oneOfPlatforms('platform', ({ chatId }) => ({
  platformChatId: chatId,
  ...channelGrantFields,
}));
export type CreateChannelGrantBody = z.output<typeof CreateChannelGrantBody>;

const PrivateChatGrant = z
  .object({
    grantId: id,
    botId: id,
    platform: PlatformName,
    platformUserId: z.string(),
    name: z.string().nullable().describe('The name that an admin gave the person; `null` if none was given.'),
    until: moment.nullable().describe('When it expires; `null` if it holds until it is deleted.'),
    createdBy: id.nullable(),
    createdAt: moment,
  })
  .meta({
    id: 'PrivateChatGrant',
    description: 'A grant that lets a person write to a bot in private when only granted people may.',
  });

const privateChatGrantFields = {
  botId: id,
  name: name.nullish().describe('A name for the person, displayed to admins.'),
  until: until.nullish(),
};
export const CreatePrivateChatGrantBody = oneOfPlatforms('platform', ({ personId }) => ({
  platformUserId: personId,
  ...privateChatGrantFields,
}));
export type CreatePrivateChatGrantBody = z.output<typeof CreatePrivateChatGrantBody>;

const GrantQuery = PageQuery.extend({ botId: id.optional() });
const count = z.int();

export const AuthorizationStats = z
  .object({
    activeMutes: count.describe('The number of mutes in effect.'),
    restrictedBots: z
      .object({
        channels: count.describe('The number of bots that serve only groups and channels with a grant.'),
        privateChats: count.describe(
          'The number of bots that only people with a grant may write to in private.',
        ),
      })
      .describe('The number of bots that require a grant.'),
    grants: z
      .object({
        channels: count.describe('Grants for groups and channels.'),
        privateChats: count.describe('Grants for private chats.'),
      })
      .describe('The number of grants that have not expired.'),
    policies: count,
    edges: z
      .object({
        admin: count.describe('Relationships with the relation `admin`.'),
        member: count.describe('Relationships with the relation `member`.'),
      })
      .describe('The number of relationships by relation, including memberships of the tenant.'),
    refusals: z
      .object({
        byReason: z.record(Refusal, count).meta({
          description: 'The number of refused messages for each reason.',
          examples: [{ muted: 2, 'channel not granted': 0, 'private chat not granted': 1, policy: 0 }],
        }),
        byDay: z
          .array(z.object({ day: z.iso.date(), refused: count }))
          .describe('The number of refused messages for each day, oldest first.'),
      })
      .describe('Messages that bots refused to process, today and on the six days before, in UTC.'),
  })
  .meta({
    id: 'AuthorizationStats',
    description: 'Counts of mutes, grants, policies, relationships and refused messages of the tenant.',
  });
export type AuthorizationStats = z.input<typeof AuthorizationStats>;

/** The routes of `/api/auth` for mutes, chat rules and grants. Changes affect messages within a second. */
export const chatRuleRoutes = {
  listMutes: admin.list('/moderation', {
    summary: 'List mutes: the people whom bots ignore.',
    query: MuteQuery,
    response: z.array(Mute),
  }),
  createMute: admin.post('/moderation', {
    summary: 'Mute a person for one bot or for all bots of the tenant.',
    description:
      'Returns 409 if the same mute already exists. An expired mute is replaced instead. Returns 422 if the ' +
      `tenant already has ${maxMutes} mutes, not counting expired ones.`,
    body: CreateMuteBody,
    response: Mute,
    status: 201,
    errors: [404, 409, 422],
  }),
  getMute: admin.get('/moderation/:muteId', {
    summary: 'Get a mute, even if it has expired.',
    response: Mute,
  }),
  updateMute: admin.put('/moderation/:muteId', {
    summary: 'Update the reason or the end of a mute. Omitted fields are unchanged; `null` clears a field.',
    body: UpdateMuteBody,
    response: Mute,
  }),
  deleteMute: admin.delete('/moderation/:muteId', {
    summary: 'Delete a mute. The bots answer the person again from the next message.',
  }),
  getChatRules: admin.get('/bots/:botId', {
    summary: 'Get the chat rules of a bot. By default it serves all chats and all people.',
    response: ChatRules,
  }),
  updateChatRules: admin.put('/bots/:botId', {
    summary: 'Update the chat rules of a bot. Omitted fields are unchanged.',
    body: UpdateChatRulesBody,
    response: ChatRules,
  }),
  listChannelGrants: admin.list('/channel-grants', {
    summary: 'List grants for groups and channels.',
    query: GrantQuery,
    response: z.array(ChannelGrant),
  }),
  createChannelGrant: admin.post('/channel-grants', {
    summary: 'Create a grant that lets a bot serve a group or channel.',
    description: `The grant takes effect only while \`channels\` of the bot is \`granted\`. Returns 409 if the same grant already exists, and 422 if the tenant already has ${maxChannelGrants} grants.`,
    body: CreateChannelGrantBody,
    response: ChannelGrant,
    status: 201,
    errors: [404, 409, 422],
  }),
  deleteChannelGrant: admin.delete('/channel-grants/:grantId', {
    summary: 'Withdraw a grant for a group or channel.',
  }),
  listPrivateChatGrants: admin.list('/private-chat-grants', {
    summary: 'List grants for private chats, including expired ones.',
    query: GrantQuery,
    response: z.array(PrivateChatGrant),
  }),
  createPrivateChatGrant: admin.post('/private-chat-grants', {
    summary: 'Create a grant that lets a person write to a bot in private.',
    description:
      'The grant takes effect only while `privateChats` of the bot is `granted`. Returns 409 if the same grant ' +
      'already exists. An expired grant is replaced instead. Returns 422 if the tenant already has ' +
      `${maxPrivateChatGrants} grants, not counting expired ones.`,
    body: CreatePrivateChatGrantBody,
    response: PrivateChatGrant,
    status: 201,
    errors: [404, 409, 422],
  }),
  deletePrivateChatGrant: admin.delete('/private-chat-grants/:grantId', {
    summary: "Withdraw a person's grant for private chats.",
  }),
  getAuthorizationStats: admin.get('/stats', {
    summary: 'Get counts of mutes, grants, policies, relationships and refused messages of the tenant.',
    response: AuthorizationStats,
    errors: [503],
  }),
};
