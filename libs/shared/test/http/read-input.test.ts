import { expect, test } from 'vitest';
import { z } from 'zod';
import type { HttpError } from '../../src/http/errors.ts';
import { readInput } from '../../src/http/read-input.ts';

const Body = z
  .object({
    name: z.string().trim().min(1).max(10),
    role: z.enum(['admin', 'member'], { error: 'must be one of admin, member' }),
    settings: z.object({ email: z.object({ senderPolicy: z.string().optional() }).optional() }).optional(),
    list: z.array(z.object({ word: z.string() })).default([]),
    labels: z.record(z.string(), z.object({ colour: z.string() })).optional(),
    free: z.record(z.string(), z.unknown()).optional(),
    kind: z
      .discriminatedUnion('type', [
        z.object({ type: z.literal('text'), maxLength: z.number().optional() }),
        z.object({ type: z.literal('number'), minimum: z.number().optional() }),
      ])
      .optional(),
  })
  .refine(({ name }) => name !== 'root', { path: ['name'], message: 'is not yours' })
  .transform((body) => ({ ...body, isRead: true }));

const right = { name: 'Anna', role: 'admin' };

function issuesOf(value: unknown, schema: z.ZodType = Body): unknown {
  try {
    readInput(schema, value);
    return [];
  } catch (error) {
    expect(error).toMatchObject({ status: 400, message: 'the request is not valid' });
    return (error as HttpError).body.issues;
  }
}
const unrecognized = (path: string, near?: string) => ({
  path,
  message: near ? `unrecognized field: did you mean "${near}"?` : 'unrecognized field',
});

test('valid input is read', () => {
  expect(readInput(Body, right)).toEqual({ ...right, list: [], isRead: true });
});

test('a missing field is reported as required, even if its schema has a message for other values', () => {
  expect(issuesOf({})).toEqual([
    { path: 'name', message: 'is required' },
    { path: 'role', message: 'is required' },
  ]);
});

test('a wrong part of a text that is split is not a missing field', () => {
  const Split = z.object({
    by: z
      .string()
      .transform((text) => text.split(','))
      .pipe(z.array(z.enum(['day', 'bot'], { error: 'must be day or bot' }))),
  });
  expect(issuesOf({ by: 'day,week' }, Split)).toEqual([{ path: 'by.1', message: 'must be day or bot' }]);
});

test('every fault has a path and a message, and nothing else', () => {
  const message = expect.any(String);
  expect(issuesOf({ name: '', role: 'boss' })).toEqual([
    { path: 'name', message },
    { path: 'role', message: 'must be one of admin, member' },
  ]);
  expect(issuesOf({ ...right, name: 'x'.repeat(11) })).toEqual([{ path: 'name', message }]);
  expect(issuesOf({ ...right, name: 1 })).toEqual([{ path: 'name', message }]);
  expect(issuesOf({ ...right, name: 'root' })).toEqual([{ path: 'name', message: 'is not yours' }]);
});

test('an unknown field is reported with the intended one, and with the other faults', () => {
  expect(issuesOf({ nmae: 'Anna', role: 'admin', colour: 'red' })).toEqual([
    unrecognized('nmae', 'name'),
    unrecognized('colour'),
    { path: 'name', message: 'is required' },
  ]);
});

test('unknown fields are found at any depth: in objects, lists, values of records and variants', () => {
  expect(
    issuesOf({
      ...right,
      settings: { email: { senderpolicy: 'open' }, mail: {} },
      list: [{ word: 'a' }, { word: 'b', wort: 'c' }],
      labels: { anything: { colour: 'red', color: 'red' } },
      kind: { type: 'number', maxLength: 3 },
    }),
  ).toEqual([
    unrecognized('settings.email.senderpolicy', 'senderPolicy'),
    unrecognized('settings.mail'),
    unrecognized('list.1.wort'),
    unrecognized('labels.anything.color'),
    unrecognized('kind.maxLength'),
  ]);
});

test('free-form objects may have any field, and identifiers are ignored', () => {
  const identifiers = { id: 1, tenantId: 2, botId: 3, integrationId: 4, keyId: 5, agentId: 6, userId: 7 };
  expect(issuesOf({ ...right, ...identifiers, free: { any: { thing: 1 } } })).toEqual([]);
  expect(issuesOf({ a: 1 }, z.looseObject({}))).toEqual([]);
});

test('a strict object reports an unknown field once', () => {
  expect(issuesOf({ name: 'a', nam: 'b' }, z.strictObject({ name: z.string() }))).toEqual([
    unrecognized('nam'),
  ]);
  expect(issuesOf({ name: 'a', id: 'b' }, z.strictObject({ name: z.string() }))).toEqual([
    unrecognized('id'),
  ]);
});

test('names of the language itself are fields like others', () => {
  const body = JSON.parse('{"name":"Anna","role":"admin","__proto__":{"a":1},"constructor":1,"toString":2}');
  expect(issuesOf(body)).toEqual([
    unrecognized('__proto__'),
    unrecognized('constructor'),
    unrecognized('toString'),
  ]);
});

test('issues and names in them are bounded', () => {
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`${'n'.repeat(500)}${at}`, at]));
  const issues = issuesOf({ ...right, ...many }) as { path: string }[];
  expect(issues).toHaveLength(50);
  expect(issues.every(({ path }) => path.length <= 100)).toBe(true);
});

test('a name that may be a secret in the wrong place is not shown again', () => {
  expect(issuesOf({ ...right, 'sk-proj-0123456789abcdef': 1, 'a/b+c=': 2, '\ud800': 3 })).toEqual([
    unrecognized('[secret]'),
    unrecognized('?'),
    unrecognized('?'),
  ]);
});
