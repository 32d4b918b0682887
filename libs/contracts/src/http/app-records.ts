import { z } from 'zod';
import { maxRecordsOfType, recordName } from './app-record-types.ts';
import { id, moment, storableMoment } from './common.ts';
import { admin } from './contract.ts';
import { Download } from './download.ts';
import { PageQuery } from './page.ts';

const value = z.union([z.string(), z.number(), z.boolean()]);
const values = z.record(z.string(), value);

export const AppRecord = z
  .object({
    recordId: id,
    appId: id,
    type: z.string().describe('The name of the record type in the spec.'),
    fields: values.describe('The values of the record, by field name.'),
    source: z.enum(['bot', 'admin']),
    botId: id
      .nullable()
      .describe('The bot in whose chat the record was saved; `null` for a record created by an admin.'),
    agentId: id
      .nullable()
      .describe('The agent that saved the record; `null` for a record created by an admin.'),
    chatId: id
      .nullable()
      .describe('The chat in which the record was collected; `null` for a record created by an admin.'),
    personId: id
      .nullable()
      .describe(
        'The person who provided the data; `null` if several people wrote at once, or if an admin created the record.',
      ),
    messageId: id
      .nullable()
      .describe('The message from which the record was saved; `null` for a record created by an admin.'),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'AppRecord', description: 'Data that a bot collected in a chat, or that an admin entered.' });
export type AppRecord = z.input<typeof AppRecord>;

const fields = values.describe(
  'The values by field name. They must fit the record type in the running version of the app.',
);

const search = {
  type: recordName.optional().describe('Only records of this type.'),
  search: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Only records with this text in one of their values. Case is ignored.'),
  field: recordName.optional().describe('Only records in which this field has the value given by `value`.'),
  value: z.string().max(4000).optional().describe('The value that the field named by `field` must have.'),
  chatId: id.optional(),
  personId: id.optional(),
  from: storableMoment.optional().describe('Only records saved at or after this time.'),
  to: storableMoment.optional().describe('Only records saved before this time.'),
};

/** The routes of `/api/admin/apps` for the records that bots have collected. */
export const appRecordRoutes = {
  listAppRecords: admin.list('/:appId/records', {
    summary: 'List and search the records of an app.',
    query: PageQuery.extend(search),
    response: z.array(AppRecord),
  }),
  createAppRecord: admin.post('/:appId/records', {
    summary: 'Create a record.',
    description: `The fields are checked against the record type in the running version of the app. Returns 409 if the app already has ${maxRecordsOfType} records of the type.`,
    body: z.object({
      type: recordName.describe('The name of the record type in the spec.'),
      fields,
    }),
    response: AppRecord,
    status: 201,
    errors: [409],
  }),
  exportAppRecords: admin.get('/:appId/records/export', {
    summary: 'Export the records of an app, or of one record type, as CSV, newest first.',
    description:
      'The file is UTF-8 with a byte order mark. Values that a spreadsheet would interpret as a formula are ' +
      'prefixed with an apostrophe. The filters are the same as for the list.',
    query: z.object(search),
    response: Download,
  }),
  getAppRecord: admin.get('/:appId/records/:recordId', { summary: 'Get a record.', response: AppRecord }),
  updateAppRecord: admin.put('/:appId/records/:recordId', {
    summary: 'Update fields of a record. Fields set to `null` are removed.',
    body: z.object({
      fields: z
        .record(z.string(), value.nullable())
        .describe(
          'The values to change, by field name. `null` removes a value; omitted fields are unchanged.',
        ),
    }),
    response: AppRecord,
    errors: [409],
  }),
  deleteAppRecord: admin.delete('/:appId/records/:recordId', { summary: 'Delete a record.' }),
};
