import type { z } from 'zod';
import { type Disclosure, disclosureOf } from '../config/shown.ts';
import { launcherSettingsName } from './process-contract.ts';
import type { SettingFact } from './questions.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * A service's settings and the source of each. A value is shown only if its shape excludes secrets or it is marked as
 * not secret; for others, only whether it is set.
 */
export function describeSettings(schema: z.ZodType, env: Env, config: object): SettingFact[] {
  const shape = (schema as z.ZodObject).shape as Record<string, z.ZodType>;
  const byLauncher = new Set((env[launcherSettingsName] ?? '').split(','));
  return Object.entries(shape)
    .map(([name, setting]) => {
      const effective = (config as Record<string, unknown>)[name];
      const isGiven = env[name] !== undefined && env[name] !== '';
      const isSet = effective !== undefined;
      const disclosure = disclosureOf(setting);
      const value = valueShown(disclosure, effective);
      const source = isGiven
        ? byLauncher.has(name)
          ? 'launcher'
          : 'environment'
        : isSet
          ? 'default'
          : 'none';
      return {
        name,
        isSet,
        ...(value === undefined ? {} : { value }),
        source,
        ...(disclosure.switchesOff && isOff(effective) ? { switchesOff: disclosure.switchesOff } : {}),
      } satisfies SettingFact;
    })
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

const isOff = (value: unknown): boolean => value === undefined || value === false;

function valueShown({ isPlain, shows }: Disclosure, value: unknown): SettingFact['value'] {
  if (value === undefined) return isPlain || shows ? null : undefined;
  if (shows === 'address') return addressShown(value);
  if (!isPlain && shows !== 'value') return undefined;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
}

/** A setting may hold several addresses, also in one text: shows all of them, or none if one can't be parsed. */
function addressShown(value: unknown): SettingFact['value'] {
  const texts = Array.isArray(value) ? value : String(value).split(',');
  const shown = texts.map((text) => originOf(String(text).trim()));
  if (!shown.every((address) => address !== undefined)) return undefined;
  return Array.isArray(value) || shown.length > 1 ? shown : shown[0];
}

function originOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, host, pathname } = new URL(text);
  // Hides text that looks like a name and password in the wrong place.
  if (pathname.includes('@')) return undefined;
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}
