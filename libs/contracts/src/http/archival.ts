import { z } from 'zod';
import { id, moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { PageQuery } from './page.ts';
import { From, To } from './usage-query.ts';

const access = 'admin';
const count = z.number().int();
const days = z.number().int().max(3650);

export const ArchiveConfig = z
  .object({
    enabled: z
      .boolean()
      .describe('Whether messages are archived, trimmed and deleted by themselves, every 6 hours.'),
    archiveAfterDays: count.describe('Age in days from which messages are copied into the archive.'),
    trimAfterDays: count.nullable().describe('`null`: messages stay in the database, too.'),
    deleteAfterDays: count.nullable().describe('`null`: the archive keeps them for ever.'),
    updatedAt: moment.nullable(),
  })
  .meta({
    id: 'ArchiveConfig',
    description: 'When messages of the tenant are archived, trimmed and deleted.',
  });
export type ArchiveConfig = z.input<typeof ArchiveConfig>;

export const ArchiveConfigBody = z
  .object({
    enabled: z.boolean().optional(),
    archiveAfterDays: days
      .min(1)
      .optional()
      .describe('Age in days from which messages are copied into the archive.'),
    trimAfterDays: days
      .min(1)
      .nullable()
      .optional()
      .describe('Age in days from which archived messages leave the database; `null`: they stay.'),
    deleteAfterDays: days
      .min(1)
      .nullable()
      .optional()
      .describe('Age in days from which the archive drops them; `null`: never.'),
  })
  .meta({ examples: [{ enabled: true, archiveAfterDays: 30, trimAfterDays: 90, deleteAfterDays: 730 }] });
export type ArchiveConfigBody = z.output<typeof ArchiveConfigBody>;

export const ArchiveJob = z
  .object({
    jobId: id,
    kind: z
      .enum(['archive', 'trim', 'check'])
      .describe('`check`: every file is read, and compared with what was written.'),
    state: z.enum(['queued', 'running', 'done', 'failed', 'cancelled']),
    botId: id.nullable().describe("Only this bot's messages; `null`: those of all bots."),
    chatId: id.nullable().describe("Only this chat's messages; `null`: those of all chats."),
    before: moment.describe('What is younger is left alone.'),
    progress: z
      .object({
        messagesTotal: count.nullable().describe('As it was at the beginning; `null` until it began.'),
        messagesDone: count.describe('Messages that are dealt with.'),
        filesDone: count.describe('Files that are written or read.'),
        bytesDone: count.describe('Compressed.'),
      })
      .describe('How far it is.'),
    faults: z
      .array(z.object({ fileId: id, fault: z.string().describe('What is wrong with the file, for people.') }))
      .describe('Files that are not as they were written; nothing of them is trimmed. The first 100.'),
    lastError: z.string().nullable(),
    createdBy: id.nullable().describe('`null`: the schedule.'),
    createdAt: moment,
    finishedAt: moment.nullable(),
  })
  .meta({ id: 'ArchiveJob', description: 'One run of archiving, trimming or checking.' });
export type ArchiveJob = z.input<typeof ArchiveJob>;

const before = z.iso
  .datetime({ offset: true })
  .optional()
  .describe(
    'By default what the configuration says. At least an hour ago: younger messages may still change.',
  );
export const ArchiveBody = z.object({
  botId: id.optional().describe("Only this bot's messages. Without it those of all bots."),
  chatId: id.optional().describe("Only this chat's messages. Without it those of all chats."),
  before,
});
export type ArchiveBody = z.output<typeof ArchiveBody>;
const TrimBody = z.object({ before });

const Sizes = {
  messages: count,
  rawBytes: count.describe('Before compression.'),
  firstAt: moment.nullable(),
  lastAt: moment.nullable(),
};

const ArchivedBot = z
  .object({
    botId: id,
    name: z.string().nullable().describe('What the bot is called; `null` once it is deleted.'),
    chats: count,
    ...Sizes,
  })
  .meta({ id: 'ArchivedBot', description: 'What the archive holds of one bot.' });

export const ArchiveTree = z
  .object({
    files: count,
    sizeBytes: count.describe('Compressed.'),
    trimmedMessages: count.describe('Of them, those that are no longer in the database.'),
    ...Sizes,
    bots: z.array(ArchivedBot).describe('Those with the most messages first; at most 500.'),
  })
  .meta({ id: 'ArchiveTree', description: 'What the archive holds, by bot.' });
export type ArchiveTree = z.input<typeof ArchiveTree>;

const ArchivedChat = z
  .object({ chatId: id, botId: id, title: z.string().nullable(), files: count, ...Sizes })
  .meta({ id: 'ArchivedChat', description: 'What the archive holds of one chat.' });

export const ArchivedMessage = z
  .object({
    messageId: id,
    chatId: id,
    botId: id,
    direction: z.enum(['in', 'out']),
    text: z.string(),
    sender: z
      .object({
        platformUserId: z.string(),
        name: z.string(),
        username: z
          .string()
          .optional()
          .describe('The public name of the account, without `@`. Absent where it has none.'),
      })
      .nullable()
      .describe('Who wrote it; `null` for what the bot wrote.'),
    agentId: id.nullable(),
    status: z.string().describe('What became of it, as in `/api/interactions`.'),
    receivedAt: moment,
    createdAt: moment,
  })
  .meta({ id: 'ArchivedMessage', description: 'A message as the archive has kept it.' });
export type ArchivedMessage = z.input<typeof ArchivedMessage>;

const running = 'There is one of each kind at a time: 409 while another is at work.';

export const archivalRouter = defineRouter({
  basePath: '/api/archival',
  service: 'agents',
  description: 'Old messages of the active tenant: kept in files, and found there.',
  routes: {
    getArchiveConfig: route({
      method: 'get',
      path: '/config',
      access,
      summary: 'Get how long messages are kept, and where.',
      response: ArchiveConfig,
    }),
    updateArchiveConfig: route({
      method: 'put',
      path: '/config',
      access,
      summary: 'Change how long messages are kept.',
      description:
        'From 1 to 3650 days. What is trimmed was archived before, and what is deleted was trimmed before: `archiveAfterDays` <= `trimAfterDays` <= `deleteAfterDays`.',
      body: ArchiveConfigBody,
      response: ArchiveConfig,
    }),
    startArchive: route({
      method: 'post',
      path: '/archive',
      access,
      summary: 'Archive old messages of the tenant, of a bot or of a chat.',
      description: `Goes on in the background; nothing leaves the database by it. ${running}`,
      body: ArchiveBody,
      status: 202,
      response: ArchiveJob,
      errors: [404, 409],
    }),
    startTrim: route({
      method: 'post',
      path: '/trim',
      access,
      summary: 'Remove from the database what is archived, and was read back and found right.',
      description: `Goes on in the background. ${running}`,
      body: TrimBody,
      status: 202,
      response: ArchiveJob,
      errors: [409],
    }),
    startCheck: route({
      method: 'post',
      path: '/check',
      access,
      summary: 'Read every file of the archive, and see that it could be restored.',
      description: `Goes on in the background. ${running}`,
      status: 202,
      response: ArchiveJob,
      errors: [409],
    }),
    listArchiveJobs: route({
      method: 'get',
      path: '/jobs',
      access,
      summary: 'List jobs with their progress.',
      query: PageQuery.extend({
        kind: ArchiveJob.shape.kind.optional(),
        state: ArchiveJob.shape.state.optional(),
      }),
      response: z.array(ArchiveJob),
      paged: true,
    }),
    getArchiveJob: route({
      method: 'get',
      path: '/jobs/:jobId',
      access,
      summary: 'Get a job.',
      response: ArchiveJob,
    }),
    cancelArchiveJob: route({
      method: 'post',
      path: '/jobs/:jobId/cancel',
      access,
      summary: 'Cancel a job: what it has done stays.',
      response: ArchiveJob,
      errors: [409],
    }),
    getArchiveTree: route({
      method: 'get',
      path: '/hierarchy',
      access,
      summary: 'Get what is archived in all, and of each bot.',
      response: ArchiveTree,
    }),
    listArchivedChats: route({
      method: 'get',
      path: '/hierarchy/:botId/chats',
      access,
      summary: "List a bot's chats in the archive.",
      query: PageQuery,
      response: z.array(ArchivedChat),
      paged: true,
    }),
    getArchivedChat: route({
      method: 'get',
      path: '/chats/:chatId',
      access,
      summary: 'Get what is archived of a chat.',
      response: ArchivedChat,
    }),
    searchArchive: route({
      method: 'get',
      path: '/messages',
      access,
      summary: 'Find archived messages by chat, bot, time and text.',
      description:
        'Of each page at most 20 files are read, so that a page can be short of `limit`, or empty, although there is a next one.',
      query: PageQuery.extend({
        chatId: id.optional(),
        botId: id.optional(),
        from: From.optional(),
        to: To.optional(),
        text: z.string().trim().min(1).max(200).optional().describe('A part of the text, in whatever case.'),
      }),
      response: z.array(ArchivedMessage),
      paged: true,
      errors: [404, 503],
    }),
  },
});
