import { z } from 'zod';
import { Limit } from '../http/limits.ts';

export type StorageLimit = z.input<typeof Limit>;

/** A tenant's storage with a service. An operator's `ownLimit` is applied first; `null` restores the default. */
export const StorageQuestion = z.object({
  tenantId: z.uuid(),
  ownLimit: Limit.shape.ownLimit.optional(),
});
