import { type PlatformName, platformDefinitions } from '@botyard/contracts/http/platform';
import type { z } from 'zod';
import type { AdapterContext } from './adapter.ts';
import { formatShown } from './domain/format-shown.ts';
import { mailgun } from './mailgun/adapter.ts';
import type { Platform, Platforms } from './platform.ts';
import { slack } from './slack/adapter.ts';
import { telegram } from './telegram/adapter.ts';
import { webchat } from './webchat/adapter.ts';
import { whatsapp } from './whatsapp/adapter.ts';

/** Adapters by their names in the contracts, one line each. A name without an adapter doesn't compile. */
const adapters = {
  messenger: telegram,
  email: mailgun,
  webchat,
  slack,
  whatsapp,
} satisfies Record<PlatformName, { settings: z.ZodRawShape }>;

type Adapter = (typeof adapters)[PlatformName];
type AllOf<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** The settings of all adapters. */
export const adapterSettings = Object.assign(
  {},
  ...Object.values(adapters).map(({ settings }) => settings),
) as AllOf<Adapter['settings']>;

export type AdapterSettings = z.output<z.ZodObject<typeof adapterSettings>>;

export function createPlatforms(context: AdapterContext, settings: AdapterSettings): Platforms {
  const create = (name: PlatformName): Platform => {
    const platform = adapters[name].create(context, settings);
    const { capabilities } = platformDefinitions[name];
    return { ...platform, format: formatShown(platform.format, capabilities, context.texts) };
  };
  return Object.fromEntries(
    Object.keys(adapters).map((name) => [name, create(name as PlatformName)]),
  ) as Platforms;
}

/** The contradictions in the adapters' settings. */
export const refusalsOf = (settings: AdapterSettings & Pick<AdapterContext, 'environment'>) =>
  Object.values<Adapter>(adapters).flatMap(({ refuse }) => refuse?.(settings) ?? []);
