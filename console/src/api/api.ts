import { createClient } from '@botyard/client/client';
import { acting, tokenOf } from './acting.tsx';

/** The only way of the console to the API. */
export const api = createClient({
  origin: window.location.origin,
  token: () => tokenOf(acting.as),
  tenantId: () => acting.tenantId,
});
