import { createMailgun } from './mailgun/domain/mailgun.ts';
import type { Platforms } from './platform.ts';
import { createTelegram } from './telegram/domain/telegram.ts';
import { createWebchat } from './webchat/domain/webchat.ts';
import { mountPages } from './webchat/routes/pages.ts';
import { mountWebchat } from './webchat/routes/webchat.ts';

/** Dependencies of all adapters. */
export type AdapterDeps = Parameters<typeof createTelegram>[0] &
  Parameters<typeof createMailgun>[0] &
  Parameters<typeof createWebchat>[0];

/** Adapters by their names in the contracts. A name without an adapter doesn't compile. */
export const createPlatforms = (deps: AdapterDeps): Platforms => ({
  messenger: createTelegram(deps),
  email: createMailgun(deps),
  webchat: {
    ...createWebchat(deps),
    mount: (router) => mountWebchat(router, deps),
    mountPublic: (router) => mountPages(router, deps),
  },
});
