import type { Deps as IdentityDeps } from '../identity/deps.ts';
import type { IdpAdminClient } from './clients/idp-admin.ts';

export interface Deps extends IdentityDeps {
  idpAdmin: IdpAdminClient;
}
