import { z } from 'zod';
import { ReleaseState } from '../http/definitions-agent-releases.ts';
import { defineEvent } from './definition.ts';

export const releaseChanged = defineEvent('agents.release.changed.v1', {
  summary: 'A release of an agent began, got a greater share, was withdrawn or promoted.',
  schema: ReleaseState.extend({
    tenantId: z.uuid(),
    /** Present when a rule withdrew it, not a person. */
    withdrawnByRule: z.object({ agentName: z.string() }).optional(),
  }),
});
