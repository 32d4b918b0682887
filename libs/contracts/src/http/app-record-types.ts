import { z } from 'zod';

/** Values of one record, as JSON. */
export const maxRecordBytes = 16 * 1024;
/** Limit per type of an app; one more is 409. */
export const maxRecordsOfType = 10_000;

export const maxFields = 30;
export const maxRecordTypes = 20;

/** Name of a field or type in records and exports and for models. */
export const recordName = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{0,39}$/,
    'must begin with a small letter, then small letters, digits or _, 40 in all',
  )
  .refine((name) => name !== 'constructor', 'is no name for a field');

/** Text from people that is kept as JSON: no lone surrogates. */
export const plainText = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .refine((text) => text.isWellFormed(), 'must be well-formed text');

const common = {
  name: recordName.describe('By which a record has the value; unique in its type.'),
  label: plainText(100).optional(),
  description: plainText(500).optional().describe('Told to the model that fills it in.'),
  required: z.boolean().default(false),
};

const bound = z.number().min(-1e15).max(1e15);

/** One value of a record. Fields take no patterns: a tenant's pattern could keep a process busy for ever. */
export const RecordField = z
  .discriminatedUnion('type', [
    z.strictObject({
      ...common,
      type: z.literal('text'),
      maxLength: z.number().int().min(1).max(4000).default(1000).describe('The longest text, in characters.'),
    }),
    z.strictObject({
      ...common,
      type: z.literal('number'),
      min: bound.optional().describe('The smallest number that is taken. Without it there is no such bound.'),
      max: bound.optional().describe('The largest number that is taken. Without it there is no such bound.'),
      wholeNumber: z.boolean().default(false).describe('Whether only numbers without a fraction are taken.'),
    }),
    z.strictObject({ ...common, type: z.literal('boolean') }),
    z.strictObject({ ...common, type: z.literal('date') }).describe('`2026-11-21`'),
    z.strictObject({ ...common, type: z.literal('time') }).describe('`14:30`'),
    z.strictObject({
      ...common,
      type: z.literal('choice'),
      options: z.array(plainText(100)).min(1).max(50).describe('The only texts that are taken.'),
    }),
    z.strictObject({ ...common, type: z.literal('email') }),
    z.strictObject({ ...common, type: z.literal('phone') }),
    z.strictObject({ ...common, type: z.literal('url') }).describe('http or https.'),
  ])
  .meta({ id: 'RecordField', description: 'One value of a record.' });
export type RecordField = z.output<typeof RecordField>;

/** A kind of data that an app's bots collect. */
export const RecordType = z.strictObject({
  name: recordName.describe('By which agents and records name it; unique in the app.'),
  label: plainText(100).optional(),
  description: plainText(500).optional().describe('Told to the model: when to save one.'),
  readableBy: z
    .enum(['person', 'everybody'])
    .default('person')
    .describe('Who is told what was saved: whoever said it, or everybody whom the app serves.'),
  fields: z.array(RecordField).min(1).max(maxFields).describe('What a record of it holds.'),
});
export type RecordType = z.output<typeof RecordType>;
