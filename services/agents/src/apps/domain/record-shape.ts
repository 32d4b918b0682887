import { maxRecordBytes, type RecordField, type RecordType } from '@botyard/contracts/http/app-record-types';
import type { AppRecord } from '@botyard/contracts/http/app-records';
import { z } from 'zod';

export type RecordValues = AppRecord['fields'];

/** The schema for values of a record type; also the base of its description for models. */
export function shapeOf({ fields }: RecordType): z.ZodType<RecordValues> {
  const shape = Object.fromEntries(
    fields.map((field) => {
      const { required, label, description } = field;
      const about = [label, description, hints[field.type]].filter(Boolean).join('. ');
      const value = about ? shapeOfField(field).describe(about) : shapeOfField(field);
      return [field.name, required ? value : value.optional()];
    }),
  );
  const values = z.strictObject(shape) as unknown as z.ZodType<RecordValues>;
  return values.refine(isSmall, `must not be larger than ${maxRecordBytes / 1024} KiB`);
}

/** Hints for models that the schema doesn't express. */
const hints: Partial<Record<RecordField['type'], string>> = {
  date: 'Such as 2026-11-21',
  time: 'Such as 14:30',
  phone: 'Digits, with spaces or a + in front',
};

const isSmall = (values: object): boolean => Buffer.byteLength(JSON.stringify(values)) <= maxRecordBytes;

/** No pattern from a tenant is used here, and our own patterns run in linear time. */
function shapeOfField(field: RecordField): z.ZodType<string | number | boolean> {
  switch (field.type) {
    case 'text':
      return text(field.maxLength);
    case 'number': {
      const { min = -1e15, max = 1e15, wholeNumber } = field;
      const number = z.number().min(min).max(max);
      return wholeNumber ? number.int() : number;
    }
    case 'boolean':
      return z.boolean();
    case 'date':
      return z.iso.date('must be a date such as 2026-11-21');
    case 'time':
      return z.iso.time({ precision: -1, error: 'must be a time such as 14:30' });
    case 'choice':
      return z.enum(field.options as [string, ...string[]]);
    case 'email':
      return z.email('must be an email address').max(254);
    case 'phone':
      return z
        .string()
        .trim()
        .max(40)
        .regex(/^\+?[0-9][0-9 ()/.-]{3,38}$/, 'must be a telephone number');
    case 'url':
      return z
        .url({ protocol: /^https?$/, error: 'must be an http or https address' })
        .max(2000)
        .refine(isStorable, 'must be well-formed text');
  }
}

const text = (most: number) =>
  z.string().trim().min(1).max(most).refine(isStorable, 'must be well-formed text');

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

const maxSearchUnits = 20_000;

/** The text of a record for searches, in one case and spelling. */
export const searchTextOf = (values: RecordValues): string =>
  folded(Object.values(values).map(String).join('\n')).slice(0, maxSearchUnits).toWellFormed();

export const folded = (words: string): string => words.normalize('NFKC').toLowerCase();
