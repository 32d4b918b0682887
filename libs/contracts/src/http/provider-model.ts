import { z } from 'zod';
import { id } from './common.ts';
import { admin } from './contract.ts';
import { Provider } from './provider.ts';

export const maxModelsListed = 1000;

export const ModelList = z
  .object({
    models: z
      .array(z.string())
      .describe(`The names of the models, sorted; at most ${maxModelsListed}. Empty if they are not known.`),
    problem: z.string().nullable().describe('Why the models are not known; `null` if they are.'),
  })
  .meta({ id: 'ModelList', description: 'The models that a provider offers for a key.' });
export type ModelList = z.output<typeof ModelList>;

/** The part of `/api/agents` for choosing a model. */
export const modelListRoutes = {
  listModels: admin.get('/models/:provider', {
    params: { provider: Provider },
    summary: "List the models of a provider, for the key that the tenant's agents would use.",
    description:
      'The provider is asked at most once in 5 minutes for a key. Without a key, or if the provider does not tell, ' +
      'the list is empty and `problem` says why.',
    query: z.object({
      agentId: id.optional().describe('An agent that may have a key of its own.'),
    }),
    response: ModelList,
  }),
};
