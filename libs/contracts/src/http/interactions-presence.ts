import { z } from 'zod';
import { id } from './common.ts';
import { responder } from './contract.ts';

/** Presence that isn't renewed ends after this time. */
export const presenceLastsMs = 15_000;

export const ChatPresence = z
  .object({
    chatId: id,
    userId: id.describe('The user who has the chat open.'),
    name: z.string().optional().describe("The user's name, if known."),
    state: z
      .enum(['here', 'typing', 'gone'])
      .describe(
        `\`here\`: has the chat open. \`typing\`: is writing a message. \`gone\`: has left the chat. Without another event, the user is gone ${presenceLastsMs / 1000} seconds after the last one.`,
      ),
  })
  .meta({ id: 'ChatPresence', description: 'A user who has a chat open, types in it, or left it.' });
export type ChatPresence = z.output<typeof ChatPresence>;

const PresenceBody = z
  .object({ isTyping: z.boolean().default(false).describe('Whether the caller is writing a message.') })
  .meta({ examples: [{ isTyping: true }] });

/** Routes by which staff say that they have a chat open. */
export const presenceRoutes = {
  showPresence: responder.put('/chats/:chatId/presence', {
    summary: 'Show other staff that you have a chat open, or type in it.',
    description:
      'Others receive the live event `chat.presence`. ' +
      `Repeat the call every 10 seconds: it counts for ${presenceLastsMs / 1000}. Nothing is stored. ` +
      'Of calls that come faster than one every 3 seconds, others may see only some.',
    body: PresenceBody,
  }),
  endPresence: responder.delete('/chats/:chatId/presence', {
    summary: 'Show other staff that you have left a chat.',
  }),
} as const;
