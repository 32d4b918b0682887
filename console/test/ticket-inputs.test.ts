import { expect, test } from 'vitest';
import { type InputField, readInputs } from '../src/pages/ticket-inputs.ts';

const field = (name: string, kind: InputField['kind'], values: string[] = []): InputField => ({
  name,
  kind,
  title: name,
  description: '',
  isRequired: false,
  options: values.map((value) => ({ value, title: value.toUpperCase() })),
  format: null,
  min: null,
  max: null,
});

test('fields that were left empty are no answers, and others have the type that their form asks for', () => {
  const fields = [
    field('text', 'text'),
    field('none', 'text'),
    field('size', 'integer'),
    field('sure', 'boolean'),
    field('one', 'choice', ['', 'b']),
    field('some', 'choices', ['x', 'y']),
    field('nothing', 'choices', ['x']),
  ];
  const forms = [{ key: 'a', message: '', fields }];
  const values = { '0.0': 'Hello', '0.1': '', '0.2': '0', '0.3': 'false', '0.4': '0', '0.5.1': 'on' };
  expect(readInputs(forms, values)).toEqual({
    a: { text: 'Hello', size: 0, sure: false, one: '', some: ['y'] },
  });
});
