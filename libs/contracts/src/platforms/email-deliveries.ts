import { z } from 'zod';
import type { WebhookOperation } from './definition.ts';

const form = z
  .looseObject({
    timestamp: z.string().describe('Unix time in seconds. The signature covers it together with `token`.'),
    token: z.string().describe('A random string from the mail provider, unique for each delivery.'),
    signature: z.string().describe('HMAC of timestamp and token, in hexadecimal.'),
    recipient: z
      .string()
      .optional()
      .describe('The address of the mailbox. It identifies the bot if the path does not.'),
    from: z.string().optional().describe('The `From` header, with the name and address of the sender.'),
    subject: z.string().optional(),
    'body-plain': z.string().optional().describe('The plain-text part of the mail.'),
    'body-html': z.string().optional().describe('The HTML part of the mail, if it has one.'),
    'message-headers': z
      .string()
      .optional()
      .describe('All headers of the mail, as a JSON array of name-value pairs.'),
  })
  .describe('The fields of a mail and its files, as posted by the mail provider.');

/** A delivery of the mail provider; without the bot in the path, its recipient tells the bot. */
export const receivesMail = (operationId: string, botInPath: '' | '/{botId}' = ''): WebhookOperation => ({
  method: 'post',
  path: `/webhooks/email${botInPath}`,
  operationId,
  summary: botInPath
    ? 'Receive a mail for a bot.'
    : 'Receive a mail for the bot that its recipient identifies.',
  description:
    'Called by the mail provider. If the integration has a signing key, the signature is verified before the ' +
    'mail is read. After 406 the mail provider discards the mail; after any other error it retries the ' +
    'delivery.',
  body: { 'multipart/form-data': form, 'application/x-www-form-urlencoded': form },
  errors: [406, 413, 429, 500, 503, 504],
});
