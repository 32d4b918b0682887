import type { SlackSecrets } from '@botyard/contracts/platforms/slack';
import type { Secret } from '@botyard/shared/secrets/secret';
import type { LRUCache } from 'lru-cache';
import type { AdapterContext } from '../adapter.ts';
import type { Installer, Renewer } from '../domain/account.ts';
import type { SlackApi } from './clients/slack-api.ts';
import type { SlackFiles } from './clients/slack-files.ts';
import type { SlackUploads } from './clients/slack-uploads.ts';
import type { createConnector } from './domain/connection.ts';
import type { Piece } from './domain/format-reply.ts';
import type { NameBook } from './domain/names.ts';
import type { NewestMessages } from './domain/newest-messages.ts';

export interface Deps extends Pick<AdapterContext, 'log' | 'endpoints' | 'objects'> {
  connector: ReturnType<typeof createConnector>;
  slack: SlackApi;
  slackFiles: SlackFiles;
  slackUploads: SlackUploads;
  /** Signs the deliveries of the installation's own app. Without it that app has no address. */
  appSigningSecret: Secret | undefined;
  /** Installs that app. */
  installer: Installer | undefined;
  /** Renews the tokens of its installations. */
  renewer: Renewer<SlackSecrets>;
  names: NameBook;
  newest: NewestMessages;
  /** The pieces of split messages that are still to be sent, by the message's part, in this process. */
  pieces: LRUCache<string, readonly Piece[]>;
}
