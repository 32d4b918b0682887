import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { errorResponses } from './responses.ts';

const secretHeaders = z.object({
  'X-Messenger-Bot-Api-Secret-Token': z.string().optional().meta({
    description:
      "The secret of the integration. The platform's own header, `X-Telegram-Bot-Api-Secret-Token`, is accepted as well; where both are sent, both must match.",
  }),
});

const waited = z.int().describe('Milliseconds; 0 when nothing waits.');
const reachable = z.enum(['ok', 'unavailable']);
const deliveries = (what: string) => z.int().describe(what);

const WebhookHealth = z.object({
  status: z
    .enum(['ok', 'degraded', 'down'])
    .describe(
      '`down`: nothing is taken in. `degraded`: deliveries are taken, and what follows of them waits for the bus.',
    ),
  database: reachable,
  bus: reachable,
  deliveries: z
    .object({
      accepted: deliveries('Taken in.'),
      duplicate: deliveries('Taken in before, and answered the same.'),
      ignored: deliveries('Of no interest, such as kinds of updates that no bot reads.'),
      malformed: deliveries('Not understood.'),
      refused: deliveries('Without a proof of their sender, or for nobody.'),
    })
    .describe('Of the last minute, at the instance that answers.'),
  oldestUnsentMs: waited,
  oldestUnpublishedMs: waited,
});

const taken = {
  description: 'Taken. Sent again, it is answered the same and handled once.',
  content: { 'application/json': { schema: z.object({}) } },
};

const emailForm = z
  .looseObject({
    timestamp: z.string().describe('Seconds since 1970: what the signature is made over, with `token`.'),
    token: z.string().describe('A random text of the mailer, another one in each delivery.'),
    signature: z.string().describe('HMAC of timestamp and token, in hex.'),
    recipient: z.string().optional().describe('The mailbox. Names the bot where the path does not.'),
    from: z.string().optional().describe('The `From` header: name and address of the sender.'),
    subject: z.string().optional(),
    'body-plain': z.string().optional().describe('The text of the mail.'),
    'body-html': z.string().optional().describe('The mail in HTML, where it has such a part.'),
    'message-headers': z.string().optional().describe('All headers of the mail, as JSON pairs.'),
  })
  .describe('The fields that the mailer posts of a mail, and its files.');

const receivesMail = (operationId: string, path?: z.ZodObject): ZodOpenApiOperationObject => ({
  tags: ['webhooks'],
  operationId,
  summary: path ? 'Take a mail in for a bot.' : 'Take a mail in; its recipient names the bot.',
  description:
    'Called by the mailer. The signature is checked before anything is read of the mail, where the integration has a signing key. ' +
    'The mailer gives a mail up after 406 alone, and repeats it after every other error.',
  'x-access': 'public',
  security: [],
  ...(path ? { requestParams: { path } } : {}),
  requestBody: {
    required: true,
    content: {
      'multipart/form-data': { schema: emailForm },
      'application/x-www-form-urlencoded': { schema: emailForm },
    },
  },
  responses: { 200: taken, ...errorResponses([406, 413, 429, 500, 503, 504]) },
});

const signatureHeaders = z.object({
  'svix-id': z.string().optional().meta({ description: 'The delivery. `webhook-id` is accepted as well.' }),
  'svix-timestamp': z.string().optional().meta({ description: 'Seconds since 1970.' }),
  'svix-signature': z.string().optional().meta({ description: 'Signatures over id, timestamp and body.' }),
});

const identityEvents = ['user', 'organization', 'organizationMembership'].flatMap((kind) =>
  ['created', 'updated', 'deleted'].map((change) => `${kind}.${change}`),
);

/** Served by the webhooks service, outside `/api`. */
export const webhookPaths: ZodOpenApiPathsObject = {
  '/webhooks/email': { post: receivesMail('receiveEmail') },
  '/webhooks/email/{botId}': {
    post: receivesMail(
      'receiveEmailOfBot',
      z.object({ botId: z.uuid().meta({ description: 'The bot that the mail is for.' }) }),
    ),
  },
  '/webhooks/idp': {
    post: {
      tags: ['webhooks'],
      operationId: 'receiveIdentityEvent',
      summary: 'Take an event of the identity provider in.',
      description:
        'Called by the identity provider, which signs the raw body with `IDP_WEBHOOK_SECRET`; without that setting every delivery is ' +
        'refused with 500. A kind of event that is not among the nine is answered 200 and changes nothing.',
      'x-access': 'public',
      security: [],
      requestParams: { header: signatureHeaders },
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: z.looseObject({
              type: z.string().meta({ description: 'What has happened.', examples: identityEvents }),
              data: z.looseObject({}).describe('The person, organization or membership.'),
            }),
          },
        },
      },
      responses: { 200: taken, ...errorResponses([400, 401, 413, 429, 500, 503, 504]) },
    },
  },
  '/webhooks/health': {
    get: {
      tags: ['webhooks'],
      operationId: 'getWebhookHealth',
      summary: 'Whether deliveries are taken in and replies go out.',
      description: 'Public, and limited per client address and minute as all webhooks are.',
      'x-access': 'public',
      security: [],
      responses: {
        200: {
          description: 'Deliveries are taken in.',
          content: { 'application/json': { schema: WebhookHealth } },
        },
        503: {
          description: 'Nothing can be taken in.',
          content: { 'application/json': { schema: WebhookHealth } },
        },
        ...errorResponses([429, 504]),
      },
    },
  },
  '/webhooks/messenger/{botId}': {
    post: {
      tags: ['webhooks'],
      operationId: 'receiveMessengerUpdate',
      summary: "Take an update of the messenger's Bot API in.",
      description:
        'Called by the platform, which shows the integration’s secret. 200 means: committed durably, a duplicate of something ' +
        'that is, or of no interest. Limited per client address and minute before the secret is looked at.',
      'x-access': 'public',
      security: [],
      requestParams: {
        path: z.object({ botId: z.uuid().meta({ description: 'The bot that the update is for.' }) }),
        header: secretHeaders,
      },
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: z.looseObject({
              update_id: z.int().describe('By which the platform’s repetitions are recognized.'),
            }),
          },
        },
      },
      responses: {
        200: taken,
        ...errorResponses([400, 401, 404, 413, 429, 500, 503, 504]),
      },
    },
  },
};
