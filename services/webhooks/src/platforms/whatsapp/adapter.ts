import { httpAddress } from '@botyard/shared/config/config';
import { optionalFor } from '@botyard/shared/config/shown';
import { secretSetting } from '@botyard/shared/secrets/settings';
import type { AdapterModule } from '../adapter.ts';
import { createGraphClient } from './clients/graph.ts';
import { createGraphFiles } from './clients/graph-files.ts';
import { createWhatsApp } from './domain/whatsapp.ts';

const settings = {
  /** The Graph API, with its version. */
  WHATSAPP_API_URL: httpAddress.default('https://graph.facebook.com/v26.0'),
  /** The secret of one app for many tenants: what only its own address receives is signed with it. */
  WHATSAPP_APP_SECRET: optionalFor(
    secretSetting,
    "news of accounts, quality and templates at the app's own address are refused",
  ),
  /** The token that the platform shows when it checks the address of that app. */
  WHATSAPP_VERIFY_TOKEN: optionalFor(
    secretSetting,
    "the platform's check of the app's own address is refused",
  ),
};

export const whatsapp: AdapterModule<typeof settings> = {
  settings,
  create: (context, own) =>
    createWhatsApp({
      ...context,
      graph: createGraphClient(own.WHATSAPP_API_URL, context.log),
      graphFiles: createGraphFiles(own.WHATSAPP_API_URL),
      app: { appSecret: own.WHATSAPP_APP_SECRET, verifyToken: own.WHATSAPP_VERIFY_TOKEN },
    }),
};
