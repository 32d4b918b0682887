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
    type: z.string(),
    fields: values,
    source: z.enum(['bot', 'admin']),
    botId: id.nullable(),
    agentId: id.nullable(),
    chatId: id.nullable(),
    personId: id.nullable().describe('Who said it. `null` when several people spoke at once.'),
    messageId: id.nullable().describe('The message that it was saved from.'),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'AppRecord' });
export type AppRecord = z.input<typeof AppRecord>;

const fields = values.describe('As the type of the version that runs has them.');

const search = {
  type: recordName.optional(),
  search: z.string().trim().min(1).max(200).optional().describe('Is in one of its texts, in any case.'),
  field: recordName.optional().describe('With `value`: this field has that value.'),
  value: z.string().max(4000).optional(),
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
    body: z.object({ type: recordName, fields }),
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
    body: z.object({ fields: z.record(z.string(), value.nullable()) }),
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
