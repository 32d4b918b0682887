import { z } from 'zod';
import { topicId } from './bot-assignment.ts';
import { id, moment, name } from './common.ts';
import { admin, defineRouter } from './contract.ts';
import { PageQuery } from './page.ts';
import { PlatformName } from './platform.ts';

/** Limit of groups per bot in which it answers every message; exceeding it returns 409. */
export const maxOpenGroups = 100;

export const AnswersWhen = z.enum(['addressed', 'always', 'never']);
export type AnswersWhen = z.output<typeof AnswersWhen>;

const BotGroup = z
  .object({
    groupId: id,
    botId: id,
    platform: PlatformName,
    platformChatId: z.string(),
    kind: z
      .enum(['group', 'channel'])
      .describe('`group`: several people write. `channel`: posts are published to readers.'),
    title: z.string().describe('The title on the platform.'),
    name: z.string().nullable().describe("The tenant's own name for it; `null` if it has none."),
    answersWhen: AnswersWhen,
    topics: z
      .array(z.string())
      .nullable()
      .describe('The only topics in which the bot answers; `null` for all topics.'),
    knownTopics: z.array(z.string()).describe('The topics in which the bot has received messages.'),
    lastMessageAt: moment,
    overheardAt: moment
      .nullable()
      .describe(
        'When the last message that was not addressed to the bot arrived while `answersWhen` was `always`. As ' +
          "long as it is `null`, the platform may be withholding such messages from the bot; see the bot's privacy " +
          'mode.',
      ),
    createdAt: moment,
  })
  .meta({
    id: 'BotGroup',
    description: 'A group or channel that a bot is in, with the rules for answering there.',
  });

export const UpdateBotGroupBody = z.object({
  answersWhen: AnswersWhen.optional(),
  topics: z
    .array(topicId)
    .min(1)
    .max(100)
    .nullish()
    .describe('The only topics in which the bot answers; `null` for all topics.'),
  name: name.nullish().describe("The tenant's own name for it; `null` removes the name."),
});
export type UpdateBotGroupBody = z.output<typeof UpdateBotGroupBody>;

export const botGroupsRouter = defineRouter({
  basePath: '/api/bot-groups',
  service: 'agents',
  description:
    'Behavior of bots in the groups and channels where they have been addressed. `/api/auth` controls which ' +
    'of them a bot serves.',
  routes: {
    listBotGroups: admin.list('/', {
      summary: "List the groups and channels of a tenant's bots.",
      query: PageQuery.extend({ botId: id.optional() }),
      response: z.array(BotGroup),
    }),
    getBotGroup: admin.get('/:groupId', { summary: 'Get a group or channel.', response: BotGroup }),
    updateBotGroup: admin.put('/:groupId', {
      summary: 'Update how a bot behaves in a group or channel. Omitted fields are unchanged.',
      description:
        "Changes take effect within a second. `always` requires the bot's privacy mode to be off on the platform. " +
        `Returns 409 if ${maxOpenGroups} groups of the bot already have \`always\`. Also returns 409 if it is set ` +
        'for a channel, because posts in a channel are not questions.',
      body: UpdateBotGroupBody,
      response: BotGroup,
      errors: [409],
    }),
  },
});
