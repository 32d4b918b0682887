import { z } from 'zod';
import { id, moment, name } from './common.ts';
import { admin, defineRouter } from './contract.ts';
import { caseRoutes } from './evaluations-cases.ts';
import { draftRoutes } from './evaluations-drafts.ts';
import { Judge } from './evaluations-judge.ts';
import { runRoutes } from './evaluations-runs.ts';

export const maxSets = 100;

const required = z
  .boolean()
  .describe(
    'Whether the agent needs a finished run of this set, with exactly the content that goes live and without a ' +
      'regression, to be changed, restored, promoted or published. A set without cases requires nothing.',
  );
const judge = Judge.nullable().describe(
  'A model that judges each answer that has words, after its assertions; `null`: none. With another judge the ' +
    'agent needs another run.',
);

const SetBody = z
  .object({
    name,
    agentId: id.describe('The agent that the set tests, as listed by `/api/definitions/agents`.'),
    documents: z
      .enum(['recorded', 'current'])
      .default('recorded')
      .describe(
        '`recorded`: a search in documents finds the passages of the case. `current`: it finds those of today.',
      ),
    mayUsePlatformKey: z
      .boolean()
      .default(false)
      .describe("Whether runs may use the platform's key where the tenant has none of its own."),
    required: required.default(false),
    judge: judge.default(null),
  })
  .meta({
    examples: [{ name: 'Orders', agentId: '01920000-0000-7000-8000-000000000001' }],
  });
export type SetBody = z.output<typeof SetBody>;

/** A set that is replaced keeps what protects its agent, unless the body names it. */
const UpdateSetBody = SetBody.extend({
  required: required.optional().describe('Left out: as it is.'),
  judge: judge.optional().describe('Left out: as it is; `null`: none.'),
});
export type UpdateSetBody = z.output<typeof UpdateSetBody>;

const EvaluationSet = SetBody.extend({
  setId: id,
  cases: z.int().describe('The number of its cases.'),
  createdAt: moment,
  updatedAt: moment,
}).meta({ id: 'EvaluationSet', description: 'Cases by which an agent is tested.' });

export const evaluationsRouter = defineRouter({
  basePath: '/api/evaluations',
  service: 'agents',
  description: 'Tests of agents: sets of cases, and their runs.',
  routes: {
    listEvaluationSets: admin.list('/sets', {
      summary: "List the tenant's test sets.",
      response: z.array(EvaluationSet),
    }),
    createEvaluationSet: admin.post('/sets', {
      summary: 'Create a test set for an agent.',
      description: `Returns 409 if the tenant has ${maxSets} sets.`,
      body: SetBody,
      status: 201,
      response: EvaluationSet,
      errors: [409],
    }),
    getEvaluationSet: admin.get('/sets/:setId', { summary: 'Get a test set.', response: EvaluationSet }),
    updateEvaluationSet: admin.put('/sets/:setId', {
      summary: 'Replace the settings of a test set.',
      description: 'Its cases stay; so do `required` and `judge` if the body does not name them.',
      body: UpdateSetBody,
      response: EvaluationSet,
    }),
    deleteEvaluationSet: admin.delete('/sets/:setId', { summary: 'Delete a test set with its cases.' }),
    ...caseRoutes,
    ...draftRoutes,
    ...runRoutes,
  },
});
