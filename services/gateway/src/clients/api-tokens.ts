import { findApiToken } from '@botyard/contracts/events/tenancy';
import type { Bus } from '@botyard/shared/bus/bus';
import { ask } from '@botyard/shared/bus/requests';

/** A living API token; `expiresInMs` counts from the answer on. */
export interface FoundToken {
  tokenId: string;
  tenantId: string;
  expiresInMs: number | null;
}

/** Finds a token by its hash; `null` when no living token has it. @throws HttpError 503 without an answer. */
export type FindApiToken = (tokenHash: string) => Promise<FoundToken | null>;

export const createFindApiToken =
  (bus: Bus): FindApiToken =>
  async (tokenHash) =>
    (await ask(bus, findApiToken, { tokenHash })).token;
