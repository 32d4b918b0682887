import type { WhatsAppSecrets } from '@botyard/contracts/platforms/whatsapp';
import { Secret } from '@botyard/shared/secrets/secret';
import type { Access } from '../clients/graph.ts';
import type { Connection } from './connection.ts';

export const accessOf = ({
  accessToken,
  appSecrets,
}: Pick<Connection, 'accessToken' | 'appSecrets'>): Access => ({
  accessToken,
  appSecret: appSecrets[0]!,
});

export const accessOfSecrets = ({
  accessToken,
  appSecret,
}: Pick<WhatsAppSecrets, 'accessToken' | 'appSecret'>): Access => ({
  accessToken: new Secret(accessToken),
  appSecret: new Secret(appSecret),
});
