import { z } from 'zod';
import type { WebhookOperation } from './definition.ts';

export const outcome = (name: string, shape: z.ZodRawShape = {}) =>
  z.object({ outcome: z.literal(name), ...shape });
export const errors = [400, 403, 404, 413, 415, 429, 503] as const;
export const token = z.string().describe('The session of the browser, from the answer to its first message.');

export const openStream = {
  method: 'post',
  path: '/webhooks/webchat/{botId}/stream',
  operationId: 'openWebchatStream',
  summary: 'A window reads what it has missed, and what happens from then on.',
  description:
    'Server-sent events: `ready`, `message`, `typing`, `read` and `preview`. 204 for a visitor who has not written.',
  body: {
    'text/plain': z.object({
      token: token.optional(),
      after: z.int().optional().describe('The newest `seq` that the window knows.'),
      readTo: z.int().optional().describe('The visitor has seen everything up to this `seq`.'),
    }),
  },
  answer: { description: 'The events.', contentType: 'text/event-stream', schema: z.string() },
  errors: [...errors, 401],
} as const satisfies WebhookOperation;

export const deleteMessage = {
  method: 'post',
  path: '/webhooks/webchat/{botId}/deletions',
  operationId: 'deleteWebchatMessage',
  summary: 'A visitor deletes one of their messages.',
  description: 'It is the same to delete it twice.',
  body: { 'text/plain': z.object({ token, messageId: z.uuid() }) },
  answer: {
    description: 'The message is deleted.',
    contentType: 'application/json',
    schema: outcome('deleted'),
  },
  errors: [...errors, 401],
} as const satisfies WebhookOperation;

export const rateMessage = {
  method: 'post',
  path: '/webhooks/webchat/{botId}/ratings',
  operationId: 'rateWebchatMessage',
  summary: 'A visitor rates an answer of an agent.',
  description:
    'The newest rating counts. 404 for anything else than an answer to this visitor, 403 where thumbs are not offered.',
  body: {
    'text/plain': z.object({
      token,
      messageId: z.uuid(),
      rating: z.enum(['up', 'down']).nullable().describe('`null` takes it back.'),
    }),
  },
  answer: {
    description: 'The rating is stored.',
    contentType: 'application/json',
    schema: outcome('rated'),
  },
  errors: [...errors, 401],
} as const satisfies WebhookOperation;

export const downloadFile = {
  method: 'post',
  path: '/webhooks/webchat/{botId}/files',
  operationId: 'downloadWebchatFile',
  summary: 'A visitor downloads a file that staff has sent them.',
  description:
    'Always a download, with the type that was detected from the bytes. 404 once it is no longer stored.',
  body: { 'text/plain': z.object({ token, messageId: z.uuid() }) },
  answer: { description: 'The file.', contentType: '*/*', schema: z.string() },
  errors: [...errors, 401],
} as const satisfies WebhookOperation;

export const requestMail = {
  method: 'post',
  path: '/webhooks/webchat/{botId}/address',
  operationId: 'requestWebchatMail',
  summary: 'A visitor names an email address for answers.',
  description:
    'The address gets a link; once that is opened, answers that no window has got come by mail. At most one link an hour for an address. The answer is the same for every address, whether a link was sent or not. An address whose link was opened stays until the visitor signs out.',
  body: {
    'text/plain': z.object({ token, address: z.string().max(254).describe('One plain email address.') }),
  },
  answer: {
    description: 'The address gets a link, unless it may get none.',
    contentType: 'application/json',
    schema: outcome('requested'),
  },
  errors: [...errors, 401],
} as const satisfies WebhookOperation;

export const endSession = {
  method: 'post',
  path: '/webhooks/webchat/{botId}/end',
  operationId: 'endWebchatSession',
  summary: 'A visitor signs out.',
  description: 'The session ends at once.',
  body: { 'text/plain': z.object({ token }) },
  answer: {
    description: 'The session has ended.',
    contentType: 'application/json',
    schema: outcome('ended'),
  },
  errors,
} as const satisfies WebhookOperation;
