import { z } from 'zod';

/** A request about several tenants. */
export const OfTenants = z.object({ tenantIds: z.array(z.uuid()).min(1).max(100) });

/** A span of time over several tenants together, in steps. */
export const SpanOfTenants = z.object({
  tenantIds: z.array(z.uuid()).min(1).max(500),
  unit: z.enum(['hour', 'day']),
  from: z.iso.datetime(),
  /** End of the span, exclusive. */
  to: z.iso.datetime(),
});
