import { WebchatSecrets } from '@botyard/contracts/platforms/webchat';
import type { Connector, Endpoint } from '../../platform.ts';

/** The settings of an integration. */
export type Connection = Pick<WebchatSecrets, 'identitySecret' | 'theme' | 'words' | 'hours'> & {
  allowedOrigins: ReadonlySet<string>;
  /** Visitors may name an address that answers are mailed to. */
  offersMail: boolean;
  /** Visitors may rate answers. */
  offersThumbs: boolean;
};

export type WebchatEndpoint = Endpoint & Connection;

export const connector: Connector<WebchatSecrets, Connection> = {
  name: 'webchat',
  credentials: WebchatSecrets,
  connect: ({ allowedOrigins, identitySecret, theme, words, hours, answersByMail, thumbs }) => ({
    allowedOrigins: new Set(allowedOrigins),
    identitySecret,
    theme,
    words,
    hours,
    offersMail: answersByMail === 'offered',
    offersThumbs: thumbs === 'offered',
  }),
};
