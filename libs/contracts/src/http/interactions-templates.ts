import { z } from 'zod';
import { SearchText } from './sorted-page.ts';

const name = z.string().describe("The template's name at the platform.");
const language = z
  .string()
  .describe('The language code at the platform. Each language is a template of its own.');

/** A template, as the platform approved it. */
export const MessageTemplate = z
  .object({
    name,
    language,
    category: z.string().describe("The platform's category, such as `UTILITY` or `MARKETING`."),
    header: z.string().nullable().describe('The line above the body, or `null`.'),
    body: z.string().describe('The text. Its gaps stand as `{{name}}`.'),
    footer: z.string().nullable().describe('The line below the body, or `null`.'),
    buttons: z.array(z.string()).describe('The labels of its buttons.'),
    parameters: z
      .array(
        z.object({
          name: z.string(),
          example: z.string().optional().describe('The example with which it was approved.'),
        }),
      )
      .describe('The gaps of the body, in the order in which a message gives their texts.'),
  })
  .meta({ id: 'MessageTemplate', description: 'A text that the platform of a chat approved in advance.' });

export const ChatTemplates = z
  .object({
    isWindowOpen: z
      .boolean()
      .describe('Whether the platform takes any text now. Otherwise it takes templates only.'),
    templates: z
      .array(MessageTemplate)
      .describe(
        'The templates that can be sent, by name and language. Empty for platforms without templates.',
      ),
    unavailable: z
      .array(z.object({ name, language, reason: z.string().describe('Why it cannot be sent.') }))
      .describe('The other templates of the account.'),
    isCut: z.boolean().describe('Whether there are more than fit into one response: narrow them with `q`.'),
  })
  .meta({ id: 'ChatTemplates', description: 'The templates for a chat.' });

export const ListTemplatesQuery = z.object({
  q: SearchText.optional().describe('Part of the name or the body. Case-insensitive.'),
});
