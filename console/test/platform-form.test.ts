import { platformNames } from '@botyard/contracts/platform-names';
import { expect, test } from 'vitest';
import { readForms } from '../build/platform-forms.ts';
import { bodyOf, type PlatformForm } from '../src/pages/channels/platform-form.ts';

const forms = readForms();
const formOf = (name: (typeof platformNames)[number]): PlatformForm =>
  forms.find((form) => form.name === name)!;

test('every platform has a form whose fields have labels, and none of its secrets is shown', () => {
  expect(forms.map(({ name }) => name)).toEqual([...platformNames]);
  const soundsSecret = /token|secret|key|password/i;
  for (const { name, fields } of forms)
    for (const field of fields)
      if (soundsSecret.test(field.name))
        expect([name, field.name, field.kind]).toEqual([name, field.name, 'secret']);
  for (const { fields, about } of forms) {
    expect(about).not.toBe('');
    for (const { label } of fields) expect(label).not.toBe('');
  }
});

test('a new channel sends what was filled in, with lists by line', () => {
  const typed = {
    address: 'help@acme.example',
    apiKey: '',
    webhookSigningKey: 'key',
    allowedLists: ' a.example \n\nb',
  };
  expect(bodyOf(formOf('email'), typed)).toEqual({
    credentials: { address: 'help@acme.example' },
    settings: { email: { webhookSigningKey: 'key', allowedLists: ['a.example', 'b'] } },
  });
});

test('a changed channel sends only other values, and keeps a secret that is left empty', () => {
  const shown = {
    maskedCredentials: { address: 'help@acme.example', apiKey: '****1234' },
    settings: { email: { senderPolicy: 'open', allowedLists: ['a.example'] } },
  };
  const typed = { address: 'help@acme.example', apiKey: '', senderPolicy: 'open', allowedLists: '' };
  expect(bodyOf(formOf('email'), typed, shown)).toEqual({
    credentials: {},
    settings: { email: { allowedLists: [] } },
  });
});
