import type { z } from 'zod';
import type { AdapterContext } from './adapter.ts';
import { mailgun } from './mailgun/adapter.ts';
import type { Platforms } from './platform.ts';
import { slack } from './slack/adapter.ts';
import { telegram } from './telegram/adapter.ts';
import { webchat } from './webchat/adapter.ts';
import { whatsapp } from './whatsapp/adapter.ts';

/** Adapters by their names in the contracts. A name without an adapter doesn't compile. */
export const createPlatforms = (context: AdapterContext, settings: AdapterSettings): Platforms => ({
  messenger: telegram.create(context, settings),
  email: mailgun.create(context, settings),
  webchat: webchat.create(context, settings),
  slack: slack.create(context, settings),
  whatsapp: whatsapp.create(context, settings),
});

/** The settings of all adapters. */
export const adapterSettings = {
  ...telegram.settings,
  ...mailgun.settings,
  ...webchat.settings,
  ...slack.settings,
  ...whatsapp.settings,
};

export type AdapterSettings = z.output<z.ZodObject<typeof adapterSettings>>;

/** The contradictions in the adapters' settings. */
export const refusalsOf = (settings: AdapterSettings & Pick<AdapterContext, 'environment'>) =>
  [telegram, mailgun, webchat, slack, whatsapp].flatMap(({ refuse }) => refuse?.(settings as never) ?? []);
