import { findApiToken } from '@botyard/contracts/events/tenancy';
import type { Bus } from '@botyard/shared/bus/bus';
import { ask } from '@botyard/shared/bus/requests';

/** A valid API token; `expiresInMs` counts from the response on. */
export interface FoundToken {
  tokenId: string;
  tenantId: string;
  expiresInMs: number | null;
}

/** Finds a valid token by its hash; `null` if there is none. @throws HttpError 503 without a response. */
export type FindApiToken = (tokenHash: string) => Promise<FoundToken | null>;

export const createFindApiToken =
  (bus: Bus): FindApiToken =>
  async (tokenHash) =>
    (await ask(bus, findApiToken, { tokenHash })).token;
