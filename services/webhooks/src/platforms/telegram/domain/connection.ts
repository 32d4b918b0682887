import { createHash } from 'node:crypto';
import { MessengerSecrets } from '@botyard/contracts/platforms/messenger';
import { Secret } from '@botyard/shared/secrets/secret';
import type { Connector, Endpoint } from '../../platform.ts';

/** The bot that receives an update, as the platform knows it. */
export interface OwnBot {
  platformBotId: string;
  username: string;
}

export interface Connection {
  platformBotId: string;
  username: string;
  botToken: Secret;
  /** SHA-256 of the secrets that a delivery may have: the current one, and the previous one until it is replaced. */
  secretHashes: readonly Buffer[];
  /** Where a reply to a group's topic goes that no longer exists. */
  lostTopic: MessengerSecrets['lostTopic'];
}

export type MessengerEndpoint = Endpoint & Connection;

export const connector: Connector<MessengerSecrets, Connection> = {
  name: 'messenger',
  credentials: MessengerSecrets,
  connect: (current, previous) => {
    const accepted = [current.webhookSecretToken, previous?.webhookSecretToken].filter((secret) => !!secret);
    return {
      platformBotId: current.platformBotId,
      username: current.botUsername,
      botToken: new Secret(current.botToken),
      lostTopic: current.lostTopic,
      secretHashes: accepted.map((secret) => createHash('sha256').update(String(secret)).digest()),
    };
  },
};
