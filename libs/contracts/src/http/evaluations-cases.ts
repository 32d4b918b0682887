import { z } from 'zod';
import { id, moment } from './common.ts';
import { admin } from './contract.ts';
import { PageQuery } from './page.ts';
import { SearchText } from './sorted-page.ts';

/** Cases of all sets of a tenant. */
export const maxCases = 10_000;
/** Cases of one import. */
export const maxImportedCases = 1000;
/** The longest text of an import, in characters. */
const maxImportUnits = 256 * 1024;
/** Cases of one set, as JSON. */
export const maxBytesOfSet = 16 * 1024 ** 2;
/** A case as JSON. */
const maxCaseBytes = 256 * 1024;
const maxMessages = 60;
const maxUnitsOfMessage = 16_000;
/** The longest result of a recorded call, and the longest passage. */
export const maxRecordedUnits = 64 * 1024;

const words = (max: number) => z.string().min(1).max(max);
const amount = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const toolName = words(200).describe('The name by which the model calls the tool.');
const callArguments = z.record(z.string(), z.unknown());
const jsonSchema = z.record(z.string(), z.unknown());

/** A condition on an answer. None asks a model. */
export const Assertion = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('agent'),
      agentId: id.describe('The agent that triage has to choose for the last message.'),
      among: z.array(id).max(50).describe('The agents among which triage chooses, in the order of a bot.'),
    }),
    z.object({
      type: z.literal('tool_called'),
      name: toolName,
      arguments: callArguments.optional().describe('Exactly these arguments, in any order.'),
      schema: jsonSchema.optional().describe('A JSON Schema that the arguments fit.'),
    }),
    z.object({
      type: z.literal('approval_asked'),
      name: toolName.optional().describe('Left out: for any tool.'),
    }),
    z.object({ type: z.literal('handed_over') }),
    z.object({ type: z.literal('silent') }),
    z.object({ type: z.literal('contains'), text: words(2000).describe('In any case of letters.') }),
    z.object({ type: z.literal('not_contains'), text: words(2000).describe('In any case of letters.') }),
    z.object({
      type: z.literal('matches'),
      pattern: words(500).describe('A regular expression of JavaScript, with the flag `u`.'),
    }),
    z.object({
      type: z.literal('language'),
      language: z
        .string()
        .regex(/^[a-z]{2}$/, 'must be a language of two letters')
        .describe('The language of the answer, by its stop words, such as `de`.'),
    }),
    z.object({ type: z.literal('cites'), sourceId: id.describe('A document of which a passage was used.') }),
    z.object({ type: z.literal('cost_at_most'), microUsd: amount.describe('In micro-USD.') }),
    z.object({ type: z.literal('tokens_at_most'), tokens: amount.describe('Of input and output together.') }),
    z.object({ type: z.literal('time_at_most'), milliseconds: amount.describe('Of the whole answer.') }),
    z.object({
      type: z.literal('json'),
      schema: jsonSchema.describe('The answer is JSON that fits this JSON Schema.'),
    }),
  ])
  .meta({
    id: 'EvaluationAssertion',
    examples: [{ type: 'contains', text: 'open' }],
    description: 'What an answer has to fulfil. `type` says what is checked.',
  });
export type Assertion = z.output<typeof Assertion>;

const RecordedCall = z.object({
  name: toolName,
  arguments: callArguments.describe('The recorded arguments. A call with the same ones gets the result.'),
  outcome: z
    .enum(['ok', 'failed', 'refused', 'waiting'])
    .default('ok')
    .describe('`waiting`: the call waits for an approval, and ends the turn.'),
  result: z.string().max(maxRecordedUnits).describe('The text that the model gets.'),
});
export type RecordedCall = z.output<typeof RecordedCall>;

const RecordedPassage = z.object({
  sourceId: id.optional().describe('The document. Left out: written by hand.'),
  title: words(500).describe('The title of the document.'),
  text: words(maxRecordedUnits).describe('The passage as the model gets it.'),
});

export const Recording = z.object({
  tools: z.array(RecordedCall).max(50).default([]).describe('The calls that are answered, in any order.'),
  passages: z
    .array(RecordedPassage)
    .max(20)
    .default([])
    .describe('The passages that a search in documents finds, whatever its words are.'),
  now: moment.nullable().default(null).describe('The clock of the case; `null` if the agent needs none.'),
});
export type Recording = z.output<typeof Recording>;

const CaseMessage = z.object({
  role: z.enum(['user', 'assistant']).describe('`assistant`: an earlier answer.'),
  text: z.string().trim().min(1).max(maxUnitsOfMessage),
});

/** The fields of a case. */
export const content = {
  name: z.string().trim().min(1).max(200).describe('What the case is about.'),
  messages: z
    .array(CaseMessage)
    .min(1)
    .max(maxMessages)
    .refine((messages) => messages.at(-1)?.role === 'user', 'must end with a message of the user')
    .describe('The conversation, oldest message first. The agent answers the last message.'),
  recording: Recording.prefault({}).describe('What stands in for everything outside of the model.'),
  assertions: z.array(Assertion).max(50).default([]).describe('All of them have to hold.'),
};

const fits = (body: object): boolean => JSON.stringify(body).length <= maxCaseBytes;
const tooLong = `must have at most ${maxCaseBytes} characters as JSON`;

/** A case as people write it in YAML. */
export const WrittenCase = z.object(content).refine(fits, tooLong);

export const CaseBody = z
  .object({
    ...content,
    sourceMessageIds: z
      .array(id)
      .max(maxMessages * 2)
      .default([])
      .describe(
        'The messages of chats that the case was made of. Erasing one of their people deletes the case.',
      ),
  })
  .refine(fits, tooLong)
  .meta({
    examples: [
      {
        name: 'Opening hours',
        messages: [{ role: 'user', text: 'When do you open on Sunday?' }],
        assertions: [{ type: 'contains', text: '10' }],
      },
    ],
  });
export type CaseBody = z.output<typeof CaseBody>;

export const Case = z
  .object({
    caseId: id,
    setId: id,
    ...content,
    sourceMessageIds: z.array(id).describe('The messages of chats that the case was made of.'),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'EvaluationCase', description: 'A conversation, and what the answer to it has to fulfil.' });

const ListedCase = z
  .object({
    caseId: id,
    setId: id,
    name: content.name,
    messages: z.int().describe('The number of its messages.'),
    assertions: z.int().describe('The number of its assertions.'),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'ListedEvaluationCase', description: 'A case in a list, without its content.' });

export const ImportBody = z
  .object({
    format: z
      .enum(['csv', 'yaml'])
      .describe(
        '`csv`: the columns `message`, and if wanted `name`, `contains`, `not_contains`, `matches`, `language` and ' +
          '`tool_called`, separated by commas or semicolons. `yaml`: a list of cases in the form of a body.',
      ),
    text: z.string().min(1).max(maxImportUnits).describe('The content of the file.'),
  })
  .meta({ examples: [{ format: 'csv', text: 'message,contains\nWhen do you open?,10' }] });
export type ImportBody = z.output<typeof ImportBody>;

const writes = { body: CaseBody, maxBodyBytes: 1024 ** 2, response: Case } as const;
const tooLarge = `the set's cases would have more than ${maxBytesOfSet / 1024 ** 2} MiB as JSON`;
const full = `409 if the tenant has ${maxCases.toLocaleString('en')} cases, or if ${tooLarge}`;

/** The part of `/api/evaluations` about the cases of a set. */
export const caseRoutes = {
  listEvaluationCases: admin.list('/sets/:setId/cases', {
    summary: 'List the cases of a test set.',
    description: 'Without their content.',
    query: PageQuery.extend({
      q: SearchText.optional().describe('Only cases with this text in their name.'),
    }),
    response: z.array(ListedCase),
  }),
  createEvaluationCase: admin.post('/sets/:setId/cases', {
    summary: 'Add a case to a test set.',
    description: `Returns 422 for a message that isn't the tenant's or that was erased, and ${full}.`,
    ...writes,
    status: 201,
    errors: [409, 422],
  }),
  importEvaluationCases: admin.post('/sets/:setId/cases/import', {
    summary: 'Add cases from CSV or YAML.',
    description:
      `At most ${maxImportedCases.toLocaleString('en')} cases in ${maxImportUnits.toLocaleString('en')} characters; all or none are added. ` +
      `Returns 400 with the place of each fault in the text, and ${full}.`,
    body: ImportBody,
    maxBodyBytes: 1024 ** 2,
    status: 201,
    response: z.object({ caseIds: z.array(id).describe('The cases that were added, in their order.') }),
    errors: [409],
  }),
  getEvaluationCase: admin.get('/sets/:setId/cases/:caseId', { summary: 'Get a case.', response: Case }),
  updateEvaluationCase: admin.put('/sets/:setId/cases/:caseId', {
    summary: 'Replace a case.',
    description: `Returns 422 for a message that isn't the tenant's or that was erased, and 409 if ${tooLarge}.`,
    ...writes,
    errors: [409, 422],
  }),
  deleteEvaluationCase: admin.delete('/sets/:setId/cases/:caseId', { summary: 'Delete a case.' }),
} as const;
