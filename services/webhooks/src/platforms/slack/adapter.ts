import { httpAddress } from '@botyard/shared/config/config';
import { optionalFor, shown } from '@botyard/shared/config/shown';
import { secretSetting } from '@botyard/shared/secrets/settings';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { AdapterModule } from '../adapter.ts';
import { createSlackApi } from './clients/slack-api.ts';
import { createSlackFiles } from './clients/slack-files.ts';
import { createSlackUploads } from './clients/slack-uploads.ts';
import { createConnector } from './domain/connection.ts';
import { createInstaller } from './domain/installation.ts';
import { NameBook } from './domain/names.ts';
import { NewestMessages } from './domain/newest-messages.ts';
import { createRenewer, type OwnApp } from './domain/renewal.ts';
import { createSlack } from './domain/slack.ts';

const withoutApp = "tenants can't install the installation's own app, and use apps of their own";

const settings = {
  /** The address of the Web API. In development the sandbox stands in for it. */
  SLACK_API_URL: httpAddress.default('https://slack.com/api'),
  /** The app that all tenants install. */
  SLACK_CLIENT_ID: shown(optionalFor(z.string(), withoutApp)),
  SLACK_CLIENT_SECRET: optionalFor(secretSetting, withoutApp),
  /** Signs that app's deliveries. */
  SLACK_SIGNING_SECRET: optionalFor(secretSetting, withoutApp),
};

type Settings = z.output<z.ZodObject<typeof settings>>;

export const slack: AdapterModule<typeof settings> = {
  settings,
  refuse: ({ SLACK_CLIENT_ID: id, SLACK_CLIENT_SECRET: secret, SLACK_SIGNING_SECRET: signingSecret }) => {
    if (id === undefined || (secret && signingSecret)) return undefined;
    // Without its signing secret nothing that the app sends would be accepted.
    return {
      setting: secret ? 'SLACK_SIGNING_SECRET' : 'SLACK_CLIENT_SECRET',
      message: 'is required with SLACK_CLIENT_ID',
    };
  },
  create: ({ log, endpoints, objects }, own) => {
    const api = createSlackApi(own.SLACK_API_URL, log);
    const app = ownApp(own);
    return createSlack({
      log,
      endpoints,
      objects,
      slack: api,
      slackFiles: createSlackFiles(own.SLACK_API_URL),
      slackUploads: createSlackUploads(own.SLACK_API_URL),
      connector: createConnector(own.SLACK_SIGNING_SECRET),
      appSigningSecret: own.SLACK_SIGNING_SECRET,
      installer: app && createInstaller(api, own.SLACK_API_URL, app),
      renewer: createRenewer(api, app),
      names: new NameBook(api),
      newest: new NewestMessages(),
      // More than the parts that a process sends at the same time, or holds for a wait of the platform.
      pieces: new LRUCache({ max: 1000 }),
    });
  },
};

const ownApp = ({
  SLACK_CLIENT_ID: clientId,
  SLACK_CLIENT_SECRET: clientSecret,
}: Settings): OwnApp | undefined => (clientId && clientSecret ? { clientId, clientSecret } : undefined);
