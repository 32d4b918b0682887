import { z } from 'zod';
import { RunProgress } from '../http/evaluations-runs.ts';
import { defineEvent } from './definition.ts';

export const evaluationChanged = defineEvent('agents.evaluation.changed.v1', {
  summary:
    'A run of a test set was created, made progress or ended. Progress is announced at most once a second.',
  schema: RunProgress.extend({ tenantId: z.uuid() }),
});
