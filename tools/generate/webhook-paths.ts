import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { errorResponses } from './responses.ts';

const secretHeaders = z.object({
  'X-Messenger-Bot-Api-Secret-Token': z
    .string()
    .optional()
    .meta({
      description:
        "The secret of the integration. The platform's own header, `X-Telegram-Bot-Api-Secret-Token`, is also " +
        'accepted. If both are sent, both must match.',
    }),
});

const waited = z
  .int()
  .describe('How long the oldest item has been waiting, in milliseconds; 0 if none is waiting.');
const reachable = z.enum(['ok', 'unavailable']);
const deliveries = (what: string) => z.int().describe(what);

const WebhookHealth = z.object({
  status: z
    .enum(['ok', 'degraded', 'down'])
    .describe(
      'The status. `down`: no deliveries are accepted. `degraded`: deliveries are accepted, but their ' +
        'processing waits for the message bus.',
    ),
  database: reachable,
  bus: reachable,
  deliveries: z
    .object({
      accepted: deliveries('Deliveries that were accepted.'),
      duplicate: deliveries('Deliveries that had already been accepted and got the same response.'),
      ignored: deliveries('Deliveries that were ignored, such as kinds of updates that bots do not process.'),
      malformed: deliveries('Deliveries that could not be parsed.'),
      refused: deliveries('Deliveries whose sender was not verified, or whose recipient does not exist.'),
    })
    .describe('Deliveries in the last minute, at the instance that responds.'),
  oldestUnsentMs: waited,
  oldestUnpublishedMs: waited,
});

const taken = {
  description: 'Accepted. A repeated delivery gets the same response and is processed only once.',
  content: { 'application/json': { schema: z.object({}) } },
};

const emailForm = z
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

const receivesMail = (operationId: string, path?: z.ZodObject): ZodOpenApiOperationObject => ({
  tags: ['webhooks'],
  operationId,
  summary: path ? 'Receive a mail for a bot.' : 'Receive a mail for the bot that its recipient identifies.',
  description:
    'Called by the mail provider. If the integration has a signing key, the signature is verified before the ' +
    'mail is read. After 406 the mail provider discards the mail; after any other error it retries the ' +
    'delivery.',
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
  'svix-id': z
    .string()
    .optional()
    .meta({ description: 'The identifier of the delivery. `webhook-id` is also accepted.' }),
  'svix-timestamp': z.string().optional().meta({ description: 'Unix time in seconds.' }),
  'svix-signature': z
    .string()
    .optional()
    .meta({ description: 'Signatures of identifier, timestamp and body.' }),
});

const identityEvents = ['user', 'organization', 'organizationMembership'].flatMap((kind) =>
  ['created', 'updated', 'deleted'].map((change) => `${kind}.${change}`),
);

/** Paths outside `/api`, served by the webhooks service. */
export const webhookPaths: ZodOpenApiPathsObject = {
  '/webhooks/email': { post: receivesMail('receiveEmail') },
  '/webhooks/email/{botId}': {
    post: receivesMail(
      'receiveEmailOfBot',
      z.object({ botId: z.uuid().meta({ description: 'The bot to which the mail is addressed.' }) }),
    ),
  },
  '/webhooks/idp': {
    post: {
      tags: ['webhooks'],
      operationId: 'receiveIdentityEvent',
      summary: 'Receive an event from the identity provider.',
      description:
        'Called by the identity provider, which signs the raw body with `IDP_WEBHOOK_SECRET`. Returns 500 for ' +
        'every delivery if that setting is missing. Returns 200 and changes nothing for kinds of events other ' +
        'than the nine listed.',
      'x-access': 'public',
      security: [],
      requestParams: { header: signatureHeaders },
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: z.looseObject({
              type: z.string().meta({ description: 'The kind of event.', examples: identityEvents }),
              data: z.looseObject({}).describe('The affected person, organization or membership.'),
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
      summary: 'Get the health of receiving deliveries and sending replies.',
      description:
        'Public: requires no authentication. Like all webhooks, it is rate limited per client address and minute.',
      'x-access': 'public',
      security: [],
      responses: {
        200: {
          description: 'Deliveries are accepted.',
          content: { 'application/json': { schema: WebhookHealth } },
        },
        503: {
          description: 'Deliveries cannot be accepted.',
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
      summary: "Receive an update from the messenger's Bot API.",
      description:
        "Called by the platform, which sends the integration's secret. Returns 200 if the update has been stored " +
        'durably, is a duplicate of a stored one, or is ignored. Requests are rate limited per client address and ' +
        'minute before the secret is checked.',
      'x-access': 'public',
      security: [],
      requestParams: {
        path: z.object({
          botId: z.uuid().meta({ description: 'The bot to which the update is addressed.' }),
        }),
        header: secretHeaders,
      },
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: z.looseObject({
              update_id: z
                .int()
                .describe('The identifier of the update, by which repeated deliveries are recognized.'),
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
