import { WhatsAppSecrets } from '@botyard/contracts/platforms/whatsapp';
import { Secret } from '@botyard/shared/secrets/secret';
import type { Connector, Endpoint } from '../../platform.ts';

export interface Connection {
  phoneNumberId: string;
  businessAccountId: string;
  accessToken: Secret;
  /** The secrets that a delivery may be signed with: the current one, and the previous one until it is replaced. */
  appSecrets: readonly Secret[];
  verifyTokens: readonly Secret[];
}

export type WhatsAppEndpoint = Endpoint & Connection;

export const connector = {
  name: 'whatsapp',
  credentials: WhatsAppSecrets,
  connect: (current, previous) => ({
    phoneNumberId: current.phoneNumberId,
    businessAccountId: current.businessAccountId,
    accessToken: new Secret(current.accessToken),
    appSecrets: distinct(current.appSecret, previous?.appSecret),
    verifyTokens: distinct(current.verifyToken, previous?.verifyToken),
  }),
} satisfies Connector<WhatsAppSecrets, Connection>;

const distinct = (current: string, previous: string | undefined): Secret[] =>
  [...new Set([current, previous ?? current])].map((value) => new Secret(value));
