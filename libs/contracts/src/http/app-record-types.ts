import { z } from 'zod';

/** Size limit of a record's values, as JSON. */
export const maxRecordBytes = 16 * 1024;
/** Limit per record type of an app; exceeding it returns 409. */
export const maxRecordsOfType = 10_000;

const maxFields = 30;
export const maxRecordTypes = 20;

/** Name of a field or record type, as used in records, in exports and by models. */
export const recordName = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{0,39}$/,
    'must start with a lowercase letter and have only lowercase letters, digits and _, at most 40 characters',
  )
  .refine((name) => name !== 'constructor', 'is not allowed as a name');

/** Text from people that is stored as JSON, so it must not contain lone surrogates. */
export const plainText = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .refine((text) => text.isWellFormed(), 'must be well-formed text');

const common = {
  name: recordName.describe('The name under which a record stores the value. Unique within the record type.'),
  label: plainText(100).optional(),
  description: plainText(500).optional().describe('Instructions for the model that fills in the field.'),
  required: z.boolean().default(false),
};

const bound = z.number().min(-1e15).max(1e15);

/** One field of a record. Fields take no regular expressions: a tenant's pattern could block a process. */
export const RecordField = z
  .discriminatedUnion('type', [
    z.strictObject({
      ...common,
      type: z.literal('text'),
      maxLength: z.int().min(1).max(4000).default(1000).describe('Maximum length of the text in characters.'),
    }),
    z.strictObject({
      ...common,
      type: z.literal('number'),
      min: bound.optional().describe('The smallest accepted number. Omit it for no lower bound.'),
      max: bound.optional().describe('The largest accepted number. Omit it for no upper bound.'),
      wholeNumber: z.boolean().default(false).describe('Whether only whole numbers are accepted.'),
    }),
    z.strictObject({ ...common, type: z.literal('boolean') }),
    z.strictObject({ ...common, type: z.literal('date') }).describe('A date, such as `2026-11-21`.'),
    z.strictObject({ ...common, type: z.literal('time') }).describe('A time of day, such as `14:30`.'),
    z.strictObject({
      ...common,
      type: z.literal('choice'),
      options: z.array(plainText(100)).min(1).max(50).describe('The accepted values.'),
    }),
    z.strictObject({ ...common, type: z.literal('email') }),
    z.strictObject({ ...common, type: z.literal('phone') }),
    z.strictObject({ ...common, type: z.literal('url') }).describe('A URL with the scheme http or https.'),
  ])
  .meta({ id: 'RecordField', description: 'A field of a record type.' });
export type RecordField = z.output<typeof RecordField>;

export const RecordType = z.strictObject({
  name: recordName.describe('The name by which agents and records refer to the type. Unique within the app.'),
  label: plainText(100).optional(),
  description: plainText(500).optional().describe('Tells the model when to save a record of this type.'),
  readableBy: z
    .enum(['person', 'everybody'])
    .default('person')
    .describe(
      'The people who can look up a saved record through a bot: only the person it came from (`person`), or ' +
        'everybody whom the app serves (`everybody`).',
    ),
  fields: z.array(RecordField).min(1).max(maxFields).describe('The fields of a record of this type.'),
});
export type RecordType = z.output<typeof RecordType>;
