import { SlackSecrets } from '@botyard/contracts/platforms/slack';
import { Secret } from '@botyard/shared/secrets/secret';
import type { Connector, Endpoint } from '../../platform.ts';

/** The bot that receives an event, as the platform knows it. */
export interface OwnBot {
  appId: string;
  /** `appId/teamId`, or `appId/enterpriseId` for an installation in a whole organization. */
  accountId: string;
  /** The person that the bot is in channels (`U…`). */
  botUserId: string;
  /** The author of its messages (`B…`). */
  platformBotId: string;
  /** Whether each message of a person alone with the bot begins a thread. */
  threadsDirectMessages: boolean;
}

export interface Connection extends OwnBot {
  botToken: Secret;
  /** The secrets that a delivery may be signed with: the current one, and the previous one until it is replaced. */
  signingSecrets: readonly Secret[];
}

export type SlackEndpoint = Endpoint & Connection;

/** Deliveries for an installation of the installation's own app are signed with that app's secret. */
export const createConnector = (
  appSigningSecret: Secret | undefined,
): Connector<SlackSecrets, Connection> => ({
  name: 'slack',
  credentials: SlackSecrets,
  connect: (current, previous) => {
    const own = [current.signingSecret, previous?.signingSecret].filter((secret) => secret !== undefined);
    return {
      appId: current.appId,
      accountId: accountIdOf(current),
      botUserId: current.botUserId,
      platformBotId: current.botId,
      threadsDirectMessages: current.directMessages === 'threads',
      botToken: new Secret(current.botToken),
      signingSecrets:
        own.length > 0
          ? own.map((secret) => new Secret(secret))
          : [appSigningSecret].filter((secret) => secret !== undefined),
    };
  },
});

/** The account of an installation: no two integrations share one. */
export const accountIdOf = ({
  appId,
  teamId,
  enterpriseId,
}: Pick<SlackSecrets, 'appId' | 'teamId' | 'enterpriseId'>): string => `${appId}/${teamId ?? enterpriseId}`;
