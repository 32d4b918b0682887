import { z } from 'zod';
import { id, isStorableMoment, moment } from './common.ts';
import { admin, defineRouter } from './contract.ts';
import { PageQuery } from './page.ts';
import { From, To } from './usage-query.ts';

const count = z.int();
const days = z.int().max(3650);

export const ArchiveConfig = z
  .object({
    enabled: z
      .boolean()
      .describe('Whether messages are archived, trimmed and deleted automatically, every 6 hours.'),
    archiveAfterDays: count.describe('Age in days from which messages are copied into the archive.'),
    trimAfterDays: count
      .nullable()
      .describe(
        'Age in days from which archived messages are removed from the database; `null` if they also stay in the ' +
          'database.',
      ),
    deleteAfterDays: count
      .nullable()
      .describe('Age in days from which the archive deletes messages; `null` if it keeps them indefinitely.'),
    updatedAt: moment.nullable(),
  })
  .meta({
    id: 'ArchiveConfig',
    description: 'The ages at which messages of the tenant are archived, trimmed and deleted.',
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
      .nullish()
      .describe(
        'Age in days from which archived messages are removed from the database; `null` to keep them.',
      ),
    deleteAfterDays: days
      .min(1)
      .nullish()
      .describe('Age in days from which the archive deletes messages; `null` to keep them indefinitely.'),
  })
  .meta({ examples: [{ enabled: true, archiveAfterDays: 30, trimAfterDays: 90, deleteAfterDays: 730 }] });
export type ArchiveConfigBody = z.output<typeof ArchiveConfigBody>;

export const ArchiveJob = z
  .object({
    jobId: id,
    kind: z
      .enum(['archive', 'trim', 'check'])
      .describe(
        'The kind of job. `archive` copies messages into files, `trim` removes archived messages from the ' +
          'database, and `check` reads and verifies every file.',
      ),
    state: z.enum(['queued', 'running', 'done', 'failed', 'cancelled']),
    botId: id.nullable().describe('The bot whose messages are processed; `null` for all bots.'),
    chatId: id.nullable().describe('The chat whose messages are processed; `null` for all chats.'),
    before: moment.describe('Messages at or after this time are not processed.'),
    progress: z
      .object({
        messagesTotal: count
          .nullable()
          .describe('The number of messages to process, counted when the job started; `null` until then.'),
        messagesDone: count.describe('Messages processed so far.'),
        filesDone: count.describe('Files written or read so far.'),
        bytesDone: count.describe('Compressed size in bytes of those files.'),
      })
      .describe('The progress of the job.'),
    faults: z
      .array(
        z.object({ fileId: id, fault: z.string().describe('A human-readable description of the fault.') }),
      )
      .describe('The first 100 files that failed verification. Their messages are not trimmed.'),
    lastError: z.string().nullable(),
    createdBy: id.nullable().describe('The user who started the job; `null` if the schedule started it.'),
    createdAt: moment,
    finishedAt: moment.nullable(),
  })
  .meta({ id: 'ArchiveJob', description: 'A job that archives, trims or checks messages.' });
export type ArchiveJob = z.input<typeof ArchiveJob>;

const before = z.iso
  .datetime({ offset: true })
  .refine(isStorableMoment, 'must be in the year 1 or later')
  .optional()
  .describe(
    'Process only messages from before this time. Defaults to the age in the configuration. Should be at ' +
      'least an hour ago, because newer messages may still change.',
  );
export const ArchiveBody = z.object({
  botId: id.optional().describe('The bot whose messages to archive. Omit it for all bots.'),
  chatId: id.optional().describe('The chat whose messages to archive. Omit it for all chats.'),
  before,
});
export type ArchiveBody = z.output<typeof ArchiveBody>;
const TrimBody = z.object({ before });

const Sizes = {
  messages: count,
  rawBytes: count.describe('Size in bytes before compression.'),
  firstAt: moment.nullable(),
  lastAt: moment.nullable(),
};

const ArchivedBot = z
  .object({
    botId: id,
    name: z.string().nullable().describe('The name of the bot; `null` if it has been deleted.'),
    chats: count,
    ...Sizes,
  })
  .meta({ id: 'ArchivedBot', description: 'The archived messages of one bot.' });

export const ArchiveTree = z
  .object({
    files: count,
    sizeBytes: count.describe('Compressed size in bytes.'),
    trimmedMessages: count.describe('The number of archived messages that are no longer in the database.'),
    ...Sizes,
    bots: z
      .array(ArchivedBot)
      .describe('The bots with archived messages, at most 500, those with the most messages first.'),
  })
  .meta({ id: 'ArchiveTree', description: 'The content of the archive, in total and by bot.' });
export type ArchiveTree = z.input<typeof ArchiveTree>;

const ArchivedChat = z
  .object({ chatId: id, botId: id, title: z.string().nullable(), files: count, ...Sizes })
  .meta({ id: 'ArchivedChat', description: 'The archived messages of one chat.' });

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
          .describe('The public name of the account, without `@`. Absent if it has none.'),
      })
      .nullable()
      .describe('The person who wrote the message; `null` for messages of the bot.'),
    agentId: id.nullable(),
    status: z.string().describe('The status of the message, as in `/api/interactions`.'),
    receivedAt: moment,
    createdAt: moment,
  })
  .meta({ id: 'ArchivedMessage', description: 'A message in the archive.' });
export type ArchivedMessage = z.input<typeof ArchivedMessage>;

const running = 'Returns 409 while another job of the same kind is queued or running.';

export const archivalRouter = defineRouter({
  basePath: '/api/archival',
  service: 'agents',
  description: 'The archive of old messages of the active tenant: settings, jobs and search.',
  routes: {
    getArchiveConfig: admin.get('/config', {
      summary: 'Get the settings for archiving, trimming and deleting messages.',
      response: ArchiveConfig,
    }),
    updateArchiveConfig: admin.put('/config', {
      summary: 'Update the settings for archiving, trimming and deleting messages.',
      description:
        'Values are from 1 to 3650 days. Messages are trimmed only after they are archived, and deleted only ' +
        'after they are trimmed: `archiveAfterDays` <= `trimAfterDays` <= `deleteAfterDays`.',
      body: ArchiveConfigBody,
      response: ArchiveConfig,
    }),
    startArchive: admin.post('/archive', {
      summary: 'Start archiving old messages of the tenant, of a bot or of a chat.',
      description: `The job runs in the background. It removes nothing from the database. ${running}`,
      body: ArchiveBody,
      status: 202,
      response: ArchiveJob,
      errors: [404, 409],
    }),
    startTrim: admin.post('/trim', {
      summary: 'Start removing archived messages from the database.',
      description: `The job runs in the background. Each file is first read back and verified. ${running}`,
      body: TrimBody,
      status: 202,
      response: ArchiveJob,
      errors: [409],
    }),
    startCheck: admin.post('/check', {
      summary: 'Start verifying that every file of the archive can be restored.',
      description: `The job runs in the background. ${running}`,
      status: 202,
      response: ArchiveJob,
      errors: [409],
    }),
    listArchiveJobs: admin.list('/jobs', {
      summary: 'List archive jobs with their progress.',
      query: PageQuery.extend({
        kind: ArchiveJob.shape.kind.optional(),
        state: ArchiveJob.shape.state.optional(),
      }),
      response: z.array(ArchiveJob),
    }),
    getArchiveJob: admin.get('/jobs/:jobId', { summary: 'Get an archive job.', response: ArchiveJob }),
    cancelArchiveJob: admin.post('/jobs/:jobId/cancel', {
      summary: 'Cancel an archive job. Work already done is kept.',
      response: ArchiveJob,
      errors: [409],
    }),
    getArchiveTree: admin.get('/hierarchy', {
      summary: 'Get the content of the archive, in total and by bot.',
      response: ArchiveTree,
    }),
    listArchivedChats: admin.list('/hierarchy/:botId/chats', {
      summary: 'List the archived chats of a bot.',
      response: z.array(ArchivedChat),
    }),
    getArchivedChat: admin.get('/chats/:chatId', {
      summary: 'Get the size and period of the archived messages of a chat.',
      response: ArchivedChat,
    }),
    searchArchive: admin.list('/messages', {
      summary: 'Find archived messages by chat, bot, time and text.',
      description:
        'A page may have fewer than `limit` messages, or none, even if there is a next page: it covers few files.',
      query: PageQuery.extend({
        chatId: id.optional(),
        botId: id.optional(),
        from: From.optional(),
        to: To.optional(),
        text: z
          .string()
          .trim()
          .min(1)
          .max(200)
          .optional()
          .describe('Only messages that contain this text. Case is ignored.'),
      }),
      response: z.array(ArchivedMessage),
      errors: [404, 503],
    }),
  },
});
