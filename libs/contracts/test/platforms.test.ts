import { expect, test } from 'vitest';
import { z } from 'zod';
import { ofPlatforms, platformDefinitions } from '../src/http/platform.ts';

const definitions = Object.entries(platformDefinitions);

test.each(definitions)('%s: every field that its definition refers to exists', (_name, definition) => {
  const {
    accountCredential = [],
    credentials,
    form,
    deliverySecret = [],
    shownWhole,
    secrets,
    settings,
    shownSettings,
  } = definition;
  const fields = Object.keys({ ...credentials.shape, ...settings.shape });
  expect(Object.keys(credentials.shape)).toEqual(expect.arrayContaining([accountCredential].flat()));
  expect(Object.keys(form)).toEqual(fields);
  expect(Object.keys(settings.shape)).toEqual(expect.arrayContaining([deliverySecret].flat()));
  expect(fields).toEqual(expect.arrayContaining([...shownWhole]));
  const sealed = fields.filter((name) => name in settings.shape || !shownWhole.includes(name));
  expect(Object.keys(secrets.shape)).toEqual(expect.arrayContaining(sealed));
  expect(Object.keys(shownSettings.shape)).toEqual(Object.keys(settings.shape));
});

test('platforms that share the name of a credential take the same values, as a change of either has them all', () => {
  const schemas = Object.values(ofPlatforms(({ credentials }) => Object.entries(credentials.shape))).flat();
  for (const named of Map.groupBy(schemas, ([name]) => name).values())
    expect(new Set(named.map(([, schema]) => JSON.stringify(z.toJSONSchema(schema)))).size).toBe(1);
});

test.each(definitions)('%s: the gateway passes on every header of its operations', (_name, definition) => {
  const names = definition.operations.flatMap(({ headers }) => Object.keys(headers?.shape ?? {}));
  expect(definition.headers).toEqual(expect.arrayContaining(names.map((name) => name.toLowerCase())));
});
