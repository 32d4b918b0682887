import type { Foundation } from '@botyard/shared/service/foundation';
import type { IdpClient } from '../clients/idp.ts';

export interface Deps extends Foundation {
  idp: IdpClient;
}
