import { z } from 'zod';
import { topicId } from './bot-assignment.ts';
import { id, moment, name } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { PageQuery } from './page.ts';
import { PlatformName } from './platform.ts';

/** Groups of a bot that answers everything there; one more is 409. */
export const maxOpenGroups = 100;

/** The messages that a bot answers in a group: those addressed to it, all, or none. */
export const AnswersWhen = z.enum(['addressed', 'always', 'never']);
export type AnswersWhen = z.output<typeof AnswersWhen>;

const access = 'admin';

export const BotGroup = z
  .object({
    groupId: id,
    botId: id,
    platform: PlatformName,
    platformChatId: z.string(),
    kind: z
      .enum(['group', 'channel'])
      .describe('`group`: several people write. `channel`: posts with readers.'),
    title: z.string().describe('What the platform calls it.'),
    name: z.string().nullable().describe('What the tenant calls it.'),
    answersWhen: AnswersWhen,
    topics: z.array(topicId).nullable().describe('The only topics that the bot answers in; `null`: all.'),
    knownTopics: z.array(topicId).describe('Topics in which something came for the bot.'),
    lastMessageAt: moment,
    overheardAt: moment
      .nullable()
      .describe(
        'When a message last came that was not addressed to the bot, while it answers `always`. As long as it is ' +
          '`null`, the platform may be keeping such messages from the bot: see its privacy mode.',
      ),
    createdAt: moment,
  })
  .meta({ id: 'BotGroup', description: 'A group or channel that a bot is in, and when it answers there.' });
export type BotGroup = z.input<typeof BotGroup>;

export const UpdateBotGroupBody = z.object({
  answersWhen: AnswersWhen.optional(),
  topics: z
    .array(topicId)
    .min(1)
    .max(100)
    .nullish()
    .describe('The only topics that the bot answers in; `null`: all.'),
  name: name.nullish().describe('What the tenant calls it; `null` takes the name away.'),
});
export type UpdateBotGroupBody = z.output<typeof UpdateBotGroupBody>;

export const botGroupsRouter = defineRouter({
  basePath: '/api/bot-groups',
  service: 'agents',
  description:
    'How bots behave in the groups and channels where they were spoken to. Which of them a bot serves at all is said by `/api/auth`.',
  routes: {
    listBotGroups: route({
      method: 'get',
      path: '/',
      access,
      summary: 'List the groups and channels of the bots.',
      query: PageQuery.extend({ botId: id.optional() }),
      response: z.array(BotGroup),
      paged: true,
    }),
    getBotGroup: route({
      method: 'get',
      path: '/:groupId',
      access,
      summary: 'Get a group or channel.',
      response: BotGroup,
    }),
    updateBotGroup: route({
      method: 'put',
      path: '/:groupId',
      access,
      summary: 'Change how the bot behaves there: the fields that the body carries.',
      description:
        `Holds within a second. \`always\` needs the bot's privacy mode off at the platform; at most ${maxOpenGroups} groups of a ` +
        'bot have it, one more is 409, and so is a channel: its posts are no questions.',
      body: UpdateBotGroupBody,
      response: BotGroup,
      errors: [409],
    }),
  },
});
