import { type Client, createClient } from '@botyard/client/client';
import { acting, tokenOf } from './acting.tsx';
import { sendTelling } from './send-telling.ts';

const options = {
  origin: window.location.origin,
  token: () => tokenOf(acting.as),
  tenantId: () => acting.tenantId,
};

/** The only way of the console to the API. */
export const api = createClient(options);

/** The same for a file: tells how much of it has gone out, from 0 to 1. */
export const apiForFile = (onProgress: (share: number) => void): Client =>
  createClient({ ...options, fetch: sendTelling(onProgress) });
