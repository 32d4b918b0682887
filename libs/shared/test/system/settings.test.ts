import { expect, test } from 'vitest';
import { z } from 'zod';
import { generateIdentityKeys } from '../../src/auth/identity.ts';
import { domainConfig, flag, httpAddress, readConfig } from '../../src/config/config.ts';
import { optionalFor, shown } from '../../src/config/shown.ts';
import { secretSetting } from '../../src/secrets/settings.ts';
import { launcherSettingsName } from '../../src/system/process-contract.ts';
import { describeSettings } from '../../src/system/settings.ts';

const canary = 'canary-8d1f2c';
const describe = (shape: z.ZodRawShape, env: Record<string, string>) => {
  const schema = z.object(shape);
  return describeSettings(schema, env, readConfig(schema, env));
};

test('a text is shown only where it is marked as no secret', () => {
  const facts = describe(
    {
      PLAIN: z.string(),
      REFINED: z
        .string()
        .refine(() => true)
        .optional(),
      CHANGED: z.string().transform((text) => text.split(',')),
      SECRET: secretSetting,
      MARKED: shown(z.string()),
    },
    { PLAIN: canary, REFINED: canary, CHANGED: `${canary},x`, SECRET: canary, MARKED: 'a word' },
  );
  expect(JSON.stringify(facts)).not.toContain(canary);
  expect(facts.every(({ isSet }) => isSet)).toBe(true);
  expect(facts.find(({ name }) => name === 'MARKED')).toMatchObject({ value: 'a word' });
});

test('numbers, words of a list and switches are shown', () => {
  const facts = describe(
    { COUNT: z.coerce.number().default(3), MODE: z.enum(['a', 'b']), IS_ON: flag.default(false) },
    { MODE: 'b', IS_ON: 'true' },
  );
  expect(facts).toEqual([
    { name: 'COUNT', isSet: true, value: 3, source: 'default' },
    { name: 'IS_ON', isSet: true, value: true, source: 'environment' },
    { name: 'MODE', isSet: true, value: 'b', source: 'environment' },
  ]);
});

test('an address is shown without its name, password and query', () => {
  const url = `https://user:${canary}@host.example:8443/v1?token=${canary}#${canary}`;
  const [fact] = describe({ URL: optionalFor(httpAddress, 'nothing') }, { URL: url });
  expect(fact).toEqual({
    name: 'URL',
    isSet: true,
    value: 'https://host.example:8443/v1',
    source: 'environment',
  });
});

test('settings that the launcher filled in are marked, and missing ones show the feature that they switch off', () => {
  const facts = describe(
    { GIVEN: shown(z.string()), ABSENT: optionalFor(secretSetting, 'nobody is greeted') },
    { GIVEN: 'x', [launcherSettingsName]: 'GIVEN,OTHER' },
  );
  expect(facts).toEqual([
    { name: 'ABSENT', isSet: false, source: 'none', switchesOff: 'nobody is greeted' },
    { name: 'GIVEN', isSet: true, value: 'x', source: 'launcher' },
  ]);
});

test('no password of a real service gets into its description', async () => {
  const { verifyKey } = await generateIdentityKeys();
  const env = {
    DATABASE_URL: `postgres://user:${canary}@db/x`,
    NATS_URL: `nats://first,nats://user:${canary}@second:4222`,
    NATS_PASSWORD: canary,
    IDENTITY_VERIFY_KEY: verifyKey,
  };
  const facts = describeSettings(domainConfig, env, readConfig(domainConfig, env));
  expect(JSON.stringify(facts)).not.toContain(canary);
  expect(JSON.stringify(facts)).not.toContain(verifyKey);
  expect(facts.find(({ name }) => name === 'NATS_URL')?.value).toEqual([
    'nats://first',
    'nats://second:4222',
  ]);
});
