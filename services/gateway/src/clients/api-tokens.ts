import { findApiToken } from '@botyard/contracts/events/tenancy';
import type { Bus } from '@botyard/shared/bus/bus';
import { ask } from '@botyard/shared/bus/requests';

/** An API token that lives; `expiresInMs` counts from the answer on. */
export interface FoundToken {
  tokenId: string;
  tenantId: string;
  expiresInMs: number | null;
}

/** Of a hash; `null` when no living token has it. @throws HttpError 503 when nobody answers. */
export type FindApiToken = (tokenHash: string) => Promise<FoundToken | null>;

export const createFindApiToken =
  (bus: Bus): FindApiToken =>
  async (tokenHash) =>
    (await ask(bus, findApiToken, { tokenHash })).token;
