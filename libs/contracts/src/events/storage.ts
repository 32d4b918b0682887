import { z } from 'zod';
import { Limit } from '../http/limits.ts';

export type StorageLimit = z.input<typeof Limit>;

/** What a tenant keeps with a service. `ownLimit` is set before, on an operator's word; `null` brings the setting back. */
export const StorageQuestion = z.object({
  tenantId: z.uuid(),
  ownLimit: Limit.shape.ownLimit.optional(),
});
