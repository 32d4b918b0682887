import { z } from 'zod';
import { maxRecordsOfType, recordName } from './app-record-types.ts';
import { id, moment } from './common.ts';
import { route } from './contract.ts';
import { Download } from './download.ts';
import { PageQuery } from './page.ts';

const access = 'admin';

const value = z.union([z.string(), z.number(), z.boolean()]);
const values = z.record(z.string(), value);

export const AppRecord = z
  .object({
    recordId: id,
    appId: id,
    type: z.string().describe('Which kind of record it is, by the name in the spec.'),
    fields: values.describe('The values by the names of their fields.'),
    source: z.enum(['bot', 'admin']),
    botId: id.nullable().describe('The bot in whose chat it was saved; `null` for one that an admin made.'),
    agentId: id.nullable().describe('The agent that saved it; `null` for one that an admin made.'),
    chatId: id.nullable().describe('The chat that it was said in; `null` for one that an admin made.'),
    personId: id.nullable().describe('Who said it. `null` when several people spoke at once.'),
    messageId: id.nullable().describe('The message that it was saved from.'),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'AppRecord', description: 'What a bot has collected in a chat, or an admin has entered.' });
export type AppRecord = z.input<typeof AppRecord>;

const fields = values.describe('As the type of the version that runs has them.');

const search = {
  type: recordName.optional().describe('Only records of this type.'),
  search: z.string().trim().min(1).max(200).optional().describe('Is in one of its texts, in any case.'),
  field: recordName.optional().describe('With `value`: this field has that value.'),
  value: z.string().max(4000).optional().describe('With `field`: the value that it has.'),
  chatId: id.optional(),
  personId: id.optional(),
  from: moment.optional().describe('Saved at this moment or later.'),
  to: moment.optional().describe('Saved before this moment.'),
};

/** The part of `/api/admin/apps` that is about what bots have collected. */
export const appRecordRoutes = {
  listAppRecords: route({
    method: 'get',
    path: '/:appId/records',
    access,
    summary: 'List and search the records of an app.',
    query: PageQuery.extend(search),
    response: z.array(AppRecord),
    paged: true,
  }),
  createAppRecord: route({
    method: 'post',
    path: '/:appId/records',
    access,
    summary: 'Create a record.',
    description: `Its fields are checked against its type in the version that runs. More than ${maxRecordsOfType} of a type are 409.`,
    body: z.object({
      type: recordName.describe('Which kind of record it is, by the name in the spec.'),
      fields,
    }),
    response: AppRecord,
    status: 201,
    errors: [409],
  }),
  exportAppRecords: route({
    method: 'get',
    path: '/:appId/records/export',
    access,
    summary: 'Export the records of an app, or of a type, as CSV, the newest first.',
    description:
      'UTF-8 with a byte order mark. What a spreadsheet would take for a formula begins with an apostrophe. Narrowed as the list is.',
    query: z.object(search),
    response: Download,
  }),
  getAppRecord: route({
    method: 'get',
    path: '/:appId/records/:recordId',
    access,
    summary: 'Get a record.',
    response: AppRecord,
  }),
  updateAppRecord: route({
    method: 'put',
    path: '/:appId/records/:recordId',
    access,
    summary: 'Change a record: the fields that the body carries. `null` takes a field away.',
    body: z.object({
      fields: z
        .record(z.string(), value.nullable())
        .describe(
          'The values that change, by the names of their fields. `null` takes one away, the others stay.',
        ),
    }),
    response: AppRecord,
    errors: [409],
  }),
  deleteAppRecord: route({
    method: 'delete',
    path: '/:appId/records/:recordId',
    access,
    summary: 'Delete a record.',
  }),
};
