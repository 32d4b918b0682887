import { WebchatSecrets } from '@botyard/contracts/platforms/webchat';
import type { Connector, Endpoint } from '../../platform.ts';

/** The settings of an integration. */
export type Connection = Pick<WebchatSecrets, 'identitySecret' | 'theme' | 'words' | 'hours'> & {
  allowedOrigins: ReadonlySet<string>;
};

export type WebchatEndpoint = Endpoint & Connection;

export const connector: Connector<WebchatSecrets, Connection> = {
  name: 'webchat',
  credentials: WebchatSecrets,
  connect: ({ allowedOrigins, identitySecret, theme, words, hours }) => ({
    allowedOrigins: new Set(allowedOrigins),
    identitySecret,
    theme,
    words,
    hours,
  }),
};
