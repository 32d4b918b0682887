import { expect, test } from 'vitest';
import { ofPlatforms, platformDefinitions } from '../src/http/platform.ts';

const definitions = Object.entries(platformDefinitions);

test.each(definitions)('%s: every field that its definition refers to exists', (_name, definition) => {
  const {
    account = [],
    credentials,
    form,
    deliverySecret = [],
    shownWhole,
    secrets,
    settings,
    shownSettings,
  } = definition;
  const fields = Object.keys({ ...credentials.shape, ...settings.shape });
  expect(Object.keys(credentials.shape)).toEqual(expect.arrayContaining([account].flat()));
  expect(Object.keys(form)).toEqual(fields);
  expect(Object.keys(settings.shape)).toEqual(expect.arrayContaining([deliverySecret].flat()));
  expect(fields).toEqual(expect.arrayContaining([...shownWhole]));
  const sealed = fields.filter((name) => name in settings.shape || !shownWhole.includes(name));
  expect(Object.keys(secrets.shape)).toEqual(expect.arrayContaining(sealed));
  expect(Object.keys(shownSettings.shape)).toEqual(Object.keys(settings.shape));
});

test('no two platforms have a credential of the same name, as a change of either has them all', () => {
  const names = Object.values(ofPlatforms(({ credentials }) => Object.keys(credentials.shape))).flat();
  expect(names).toEqual([...new Set(names)]);
});

test.each(definitions)('%s: the gateway passes on every header of its operations', (_name, definition) => {
  const names = definition.operations.flatMap(({ headers }) => Object.keys(headers?.shape ?? {}));
  expect(definition.headers).toEqual(expect.arrayContaining(names.map((name) => name.toLowerCase())));
});
