import type { Keyring } from '@botyard/shared/secrets/keyring';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { IdpClient } from '../clients/idp.ts';
import type { IdpTickets } from './clients/idp-tickets.ts';
import type { MessengerLogin } from './domain/login-bot.ts';

export interface Deps extends Foundation {
  keyring: Keyring;
  idp: IdpClient;
  idpTickets: IdpTickets;
  /** `null` without a login bot: signing in and linking through the messenger are disabled. */
  messengerLogin: MessengerLogin | null;
}
