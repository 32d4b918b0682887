import type { CallerDirectory } from '@botyard/shared/auth/caller';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import type { Deps as LimitsDeps } from '../limits/deps.ts';
import type { Deps as MailDomainsDeps } from '../mail-domains/deps.ts';

export interface Deps extends LimitsDeps, MailDomainsDeps {
  keyring: Keyring;
  callers: CallerDirectory;
  /** The console's address for browsers. */
  publicBaseUrl: string;
  /** Origin that is registered at platforms for their calls. */
  webhookBaseUrl: string;
  isProduction: boolean;
}
