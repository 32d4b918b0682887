import type { ModelAdjustments } from '@botyard/contracts/http/adjustments';
import { moment } from '@botyard/shared/db/columns';
import { jsonb, text } from '@botyard/shared/db/drizzle';
import { tenantTable } from './schema.ts';

/** Adjustments of requests, learned from providers' refusals. Those of the platform's keys belong to the platform. */
export const modelAdjustments = tenantTable('model_adjustments', ['address', 'model'], {
  address: text().notNull(),
  model: text().notNull(),
  adjustments: jsonb().$type<ModelAdjustments>().notNull().default({ leftOut: [] }),
  learnedAt: moment('learned_at'),
  /**
   * The last refusal that nothing could be done about, in the provider's own words. Only a tenant's own rows have it.
   */
  refusal: text(),
  refusedAt: moment('refused_at'),
});
