import { z } from 'zod';
import { defineRouter, route } from '../http/contract.ts';
import { moment } from './common.ts';

export const Counters = z
  .object({
    messages: z.number().int(),
    inputTokens: z.number().int(),
    outputTokens: z.number().int(),
    toolCalls: z.number().int(),
    costMicroUsd: z
      .number()
      .int()
      .nullable()
      .describe('`null` when nothing that was used has a known price.'),
  })
  .meta({ id: 'Counters' });

export const Usage = z
  .object({ periodStart: moment, periodEnd: moment, counters: Counters })
  .meta({ id: 'Usage' });
export type Usage = z.input<typeof Usage>;

export const usageRouter = defineRouter({
  basePath: '/api/usage',
  service: 'usage',
  description: 'What a tenant has used.',
  routes: {
    getUsage: route({
      method: 'get',
      path: '/:tenantId',
      access: 'admin',
      summary: "The tenant's counters of the current calendar month, in UTC; own and platform keys together.",
      response: Usage,
    }),
  },
});
