import { z } from 'zod';
import { defineRouter, route } from '../http/contract.ts';
import { id } from './common.ts';

/** An agent as somebody sees it who chooses one for a bot. */
export const AvailableAgent = z
  .object({ agentId: id, tenantId: id, name: z.string(), description: z.string() })
  .meta({ id: 'AvailableAgent' });
export type AvailableAgent = z.output<typeof AvailableAgent>;

export const TriageCandidate = z.object({ agentId: id, score: z.number(), reasons: z.array(z.string()) });

/** Which agent answers, and why: the same record whether a message is routed or previewed. */
export const TriageRecord = z
  .object({ agentId: id.nullable(), candidates: z.array(TriageCandidate).describe('Best first.') })
  .meta({ id: 'TriageRecord' });
export type TriageRecord = z.output<typeof TriageRecord>;

export const TriagePreviewBody = z
  .object({
    message: z.string().max(20_000),
    botId: id.optional(),
    agentIds: z.array(id).min(1).max(50).optional(),
  })
  .superRefine((body, ctx) => {
    if (!body.botId === !body.agentIds) {
      ctx.addIssue({ code: 'custom', path: ['botId'], message: 'give either botId or agentIds' });
    }
  });

export const agentsRouter = defineRouter({
  basePath: '/api/agents',
  service: 'agents',
  description: 'Agents as they run.',
  routes: {
    previewTriage: route({
      method: 'post',
      path: '/triage-preview',
      access: 'member',
      summary: 'Which agent would handle a message; runs the code that routing runs.',
      body: TriagePreviewBody,
      response: TriageRecord,
      errors: [404],
    }),
  },
});
