import type { InputField } from '@botyard/contracts/http/integrations-inputs';
import { expect, test } from 'vitest';
import { faultsOfAnswers, responsesTo } from '../../../src/external-tools/domain/calls/input-answers.ts';
import { readForms } from '../../../src/external-tools/domain/calls/input-forms.ts';

const requestFor = (properties: object, required: string[] = []) => ({
  form: {
    method: 'elicitation/create',
    params: { message: 'Please', requestedSchema: { type: 'object', properties, required } },
  },
});
function fieldsOf(properties: object, required: string[] = []): InputField[] {
  const read = readForms(requestFor(properties, required));
  if ('refusal' in read) throw new Error(read.refusal);
  return read.forms[0]!.fields;
}
const refusalOf = (requests: unknown) => (readForms(requests) as { refusal?: string }).refusal;

test('each flat schema of the protocol becomes a field', () => {
  const fields = fieldsOf({
    mail: { type: 'string', format: 'email', minLength: 3 },
    size: { type: 'integer', minimum: 1, maximum: 5 },
    share: { type: 'number' },
    sure: { type: 'boolean' },
    colour: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
    shape: { type: 'string', oneOf: [{ const: 'o', title: 'Round' }] },
    days: { type: 'array', items: { type: 'string', enum: ['mon', 'tue'] }, maxItems: 1 },
    places: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
  });
  expect(fields).toMatchObject([
    { name: 'mail', kind: 'text', format: 'email', min: 3, max: 4000 },
    { name: 'size', kind: 'integer', min: 1, max: 5 },
    { name: 'share', kind: 'number' },
    { name: 'sure', kind: 'boolean' },
    {
      name: 'colour',
      kind: 'choice',
      options: [
        { value: 'r', title: 'Red' },
        { value: 'g', title: 'Green' },
      ],
    },
    { name: 'shape', kind: 'choice', options: [{ value: 'o', title: 'Round' }] },
    { name: 'days', kind: 'choices', options: [{ value: 'mon' }, { value: 'tue' }], max: 1 },
    { name: 'places', kind: 'choices', options: [{ value: 'a', title: 'A' }] },
  ]);
});

test('hidden characters in the words of a server are written out', () => {
  const read = readForms({
    form: {
      method: 'elicitation/create',
      params: {
        message: 'a\u202eb',
        requestedSchema: { type: 'object', properties: { x: { type: 'string', title: 'c\u200bd' } } },
      },
    },
  });
  expect(read).toMatchObject({ forms: [{ message: 'a\\u202eb', fields: [{ title: 'c\\u200bd' }] }] });
});

test('a field for a secret is recognized by its name, title or description', () => {
  for (const schema of [{ title: 'Your password' }, { description: 'The API key of your account' }])
    expect(refusalOf(requestFor({ field: { type: 'string', ...schema } }))).toContain('secret');
  expect(refusalOf(requestFor({ accessToken: { type: 'string' } }))).toContain('secret');
});

test('anything but a few flat forms is refused', () => {
  const nested = { type: 'object', properties: {} };
  const many = Object.fromEntries(
    Array.from({ length: 21 }, (_, index) => [`f${index}`, { type: 'string' }]),
  );
  const [form] = Object.values(requestFor({}));
  const forms = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`f${index}`, form]));
  const options = { type: 'string', enum: Array.from({ length: 51 }, (_, index) => String(index)) };
  for (const requests of [
    undefined,
    null,
    {},
    7,
    forms,
    requestFor(many),
    requestFor({ nested }),
    requestFor({ list: { type: 'array', items: { type: 'string' } } }),
    requestFor({ options }),
    requestFor({ odd: { type: 'string', enum: [7] } }),
    { form: { method: 'sampling/createMessage', params: {} } },
    { form: { method: 'roots/list' } },
    { form: { method: 'elicitation/create', params: { mode: 'url', url: 'https://example.com' } } },
  ])
    expect(refusalOf(requests)).toEqual(expect.any(String));
});

test('answers are checked against the form, and names of prototypes are no answers', () => {
  const read = readForms(
    requestFor(
      {
        date: { type: 'string', format: 'date' },
        count: { type: 'integer', minimum: 1 },
        colour: { type: 'string', enum: ['r', 'g'] },
        days: { type: 'array', items: { enum: ['mon', 'tue'] }, minItems: 1 },
      },
      ['date', 'toString'],
    ),
  );
  if ('refusal' in read) throw new Error(read.refusal);
  const { forms } = read;
  const pathsOf = (form: object) => faultsOfAnswers(forms, { form } as never).map(({ path }) => path.at(-1));
  expect(pathsOf({ date: '2026-07-28', count: 2, colour: 'r', days: ['mon'] })).toEqual([]);
  expect(pathsOf({})).toEqual(['date']);
  expect(pathsOf({ date: 'tomorrow', count: 1.5, colour: 'b', days: ['mon', 'mon'] })).toEqual([
    'date',
    'count',
    'colour',
    'days',
  ]);
  expect(pathsOf({ date: '2026-07-28', count: 0, days: [] })).toEqual(['count', 'days']);
  expect(faultsOfAnswers(forms, { constructor: {} } as never)).toHaveLength(2);
  expect(responsesTo(forms, {})).toEqual({ form: { action: 'accept', content: {} } });
});
