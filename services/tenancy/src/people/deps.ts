import type { IdpClient } from '../clients/idp.ts';
import type { Deps as LimitsDeps } from '../limits/deps.ts';

export interface Deps extends LimitsDeps {
  idp: IdpClient;
}
