import { misspeltSettings } from '@botyard/shared/config/misspelt';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agentsConfig } from '../services/agents/src/config.ts';
import { gatewayConfig } from '../services/gateway/src/config.ts';
import { keysConfig } from '../services/keys/src/config.ts';
import { tenancyConfig } from '../services/tenancy/src/config.ts';
import { usageConfig } from '../services/usage/src/config.ts';
import { webhooksConfig } from '../services/webhooks/src/config.ts';
import { LauncherConfig } from '../tools/launcher/settings/settings.ts';
import { readText } from './support/sources.ts';

const domain = {
  tenancy: tenancyConfig,
  keys: keysConfig,
  usage: usageConfig,
  webhooks: webhooksConfig,
  agents: agentsConfig,
};
const schemas: Readonly<Record<string, z.ZodObject>> = {
  gateway: gatewayConfig,
  ...domain,
  launcher: LauncherConfig,
};
const page = readText('docs/settings.md');

interface Row {
  readBy: string;
  fallback: string;
}

const unwrapped = (text: string): string => text.replace(/\s+/g, ' ');

/** Entries of the lists of settings, by variable. */
const documented = new Map<string, Row>(
  [...page.matchAll(/^- `([A-Z_]+)` \(([^;)]+)(?:;\s+default\s+(.+?))?\):\s/gms)].map(
    ([, name = '', readBy = '', fallback = 'none']) => [
      name,
      { readBy: unwrapped(readBy), fallback: unwrapped(fallback) },
    ],
  ),
);
const variables = [...new Set(Object.values(schemas).flatMap(({ shape }) => Object.keys(shape)))].sort();

/** `services` for all six, `domain` for the five with a database, else their names. */
function readersOf(variable: string): string {
  const readers = Object.keys(schemas).filter((name) => variable in (schemas[name]?.shape ?? {}));
  const have = (names: readonly string[]) => names.every((name) => readers.includes(name));
  const groups = have(['gateway', ...Object.keys(domain)])
    ? { services: ['gateway', ...Object.keys(domain)] }
    : have(Object.keys(domain))
      ? { domain: Object.keys(domain) }
      : {};
  const grouped = Object.values(groups).flat();
  return [...Object.keys(groups), ...readers.filter((name) => !grouped.includes(name))].join(', ');
}

function defaultsOf(variable: string): unknown[] {
  return Object.values(schemas).flatMap(({ shape }) => {
    const field = shape[variable];
    const parsed = field instanceof z.ZodType ? field.safeParse(undefined) : undefined;
    return parsed?.success && parsed.data !== undefined ? [parsed.data] : [];
  });
}

test('the page of settings has every variable that is read, and no other', () => {
  expect([...documented.keys()].sort()).toEqual(variables);
});

test.each(variables)('%s: the page names its readers and its default correctly', (variable) => {
  const { readBy, fallback = '' } = documented.get(variable) ?? {};
  expect(readBy).toBe(readersOf(variable));
  const defaults = defaultsOf(variable).filter((value) => !Array.isArray(value) || value.length > 0);
  // A ceiling that is none is read as `null`.
  for (const value of defaults) expect(fallback).toContain(`\`${String(value ?? 'unlimited')}\``);
  if (defaults.length === 0) expect(fallback).not.toMatch(/^`[^`<]*`$/);
});

test('every setting of the sandbox is named', () => {
  const read = new Set(readText('tools/sandbox/settings.ts').match(/\bSANDBOX_[A-Z_]+/g));
  expect([...read].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test.each(Object.entries(schemas))(
  '%s takes no setting of another service for a misspelt one of its own',
  (_name, schema) => {
    const env = Object.fromEntries(variables.map((name) => [name, 'set']));
    const alone = variables.map((name) => ({ [name]: 'set' }));
    for (const one of [env, ...alone]) expect(misspeltSettings(schema, one)).toEqual([]);
  },
);
