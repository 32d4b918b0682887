import { z } from 'zod';
import { id } from './common.ts';
import { admin } from './contract.ts';
import { content } from './evaluations-cases.ts';

export const DraftBody = z
  .object({
    chatId: id.describe('The chat, as listed by `/api/interactions/chats`.'),
    messageId: id.describe('An answer of an agent in that chat.'),
  })
  .meta({
    examples: [
      {
        chatId: '01920000-0000-7000-8000-000000000001',
        messageId: '01920000-0000-7000-8000-000000000002',
      },
    ],
  });
export type DraftBody = z.output<typeof DraftBody>;

const place = z.string().describe('The place in the draft, such as `messages.0.text`.');

export const CaseDraft = z
  .object({
    agentId: id.describe('The agent that answered.'),
    answer: z.string().describe('The answer, with the same replacements.'),
    name: content.name,
    messages: content.messages,
    recording: content.recording,
    assertions: content.assertions.describe('Suggested by what the agent did.'),
    sourceMessageIds: z
      .array(id)
      .describe('The messages that the draft was made of. They belong to the case.'),
    replaced: z
      .array(
        z.object({
          kind: z
            .enum(['name', 'account', 'email', 'phone', 'iban', 'card', 'number'])
            .describe('What it is. `number`: six digits and more.'),
          original: z.string().describe('The text as it first appeared; long ones are cut.'),
          placeholder: z.string().describe('The text that stands in its place everywhere.'),
          times: z.int().describe('The number of places.'),
        }),
      )
      .describe('What was replaced. It is not stored.'),
    doubtful: z
      .array(
        z.object({
          place,
          text: z.string().describe('The text as it stands there.'),
          reason: z
            .enum(['words with capitals', 'introduction', 'handle', 'address', 'postal code', 'common word'])
            .describe(
              'Why it looks personal. `common word`: the name of a person in the chat that is also a common word.',
            ),
        }),
      )
      .describe('Texts that look personal and were not replaced.'),
    missing: z
      .array(
        z.object({
          place,
          tool: z.string().describe('The name of the tool, or the title of the document.'),
          reason: z
            .enum(['not kept', 'cut'])
            .describe(
              '`not kept`: the answer is older than its recording. `cut`: it was too long to be kept whole.',
            ),
        }),
      )
      .describe('Results, arguments and passages that have to be filled in by hand.'),
  })
  .meta({
    id: 'EvaluationCaseDraft',
    description: 'A case made of an answer in a chat. Nothing of it is stored.',
  });
export type CaseDraft = z.output<typeof CaseDraft>;

/** The part of `/api/evaluations` about drafts of cases. */
export const draftRoutes = {
  createEvaluationDraft: admin.post('/drafts', {
    summary: 'Make a draft of a case from an answer in a chat.',
    description:
      'Has the messages up to the answer and what the answer used. What the records know of people and what has a form ' +
      '(mail, phone, IBAN, card, six digits and more) is replaced by placeholders. Nothing is stored: change the draft, ' +
      'and add it to a set. The same answer gives the same draft. Returns 404 for a message of another chat, and 422 ' +
      'for one that is no answer of an agent.',
    body: DraftBody,
    response: CaseDraft,
    errors: [422],
  }),
} as const;
