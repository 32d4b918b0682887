import { z } from 'zod';
import { moment } from './common.ts';

/** Parts of a request that are left out, or sent in another form, for a model that refuses them. */
export const adjustmentNames = [
  ...(['max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'stop', 'reasoning_effort'] as const),
  ...(['response_format', 'tools', 'tool_choice', 'parallel_tool_calls', 'strict', 'stream'] as const),
  ...(['stream_options', 'images', 'system', 'developer', 'thoughts', 'null_content'] as const),
] as const;

export const ModelAdjustments = z.object({
  leftOut: z
    .array(z.enum(adjustmentNames))
    .describe(
      'Parts of requests that are left out, because the model refused them. `max_tokens` is replaced by ' +
        '`max_completion_tokens` and vice versa, and instructions in the roles `system` and `developer` move to ' +
        'another role.',
    ),
  maxOutputTokens: z.int().optional().describe('The longest answer that the model allows.'),
  contextTokens: z.int().optional().describe("The model's context window."),
  thinks: z
    .enum(['marked', 'unmarked'])
    .optional()
    .describe(
      'Set if the model writes its thoughts into its answers, from which they are removed. `unmarked`: their ' +
        'beginning has no mark, so a streamed answer waits for their end.',
    ),
});
export type ModelAdjustments = z.output<typeof ModelAdjustments>;

export const ModelNotes = ModelAdjustments.extend({
  learnedAt: moment.nullable().describe('When this was last learned. It is forgotten after 24 hours.'),
  refusal: z
    .object({
      reason: z.string().describe('The words of the provider, without keys and addresses.'),
      refusedAt: moment.describe('When the provider refused.'),
    })
    .nullable()
    .describe("The last refusal that nothing could be done about, in the provider's own words."),
}).meta({
  id: 'ModelNotes',
  description: "What was learned about an agent's model from its provider's refusals.",
});
export type ModelNotes = z.output<typeof ModelNotes>;
