import { ofPlatforms } from '@botyard/contracts/http/platform';
import type { WebhookOperation } from '@botyard/contracts/platforms/definition';
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { errorResponses } from './responses.ts';

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

/** An operation of a platform's definition. Webhooks are public: each handler verifies its sender. */
const toOperation = (operation: WebhookOperation): ZodOpenApiOperationObject => {
  const { operationId, path, summary, description, query, headers, body, answer, errors } = operation;
  return {
    tags: ['webhooks'],
    operationId,
    summary,
    description,
    'x-access': 'public',
    security: [],
    requestParams: {
      ...(path.includes('{botId}') && { path: botInPath }),
      ...(query && { query }),
      ...(headers && { header: headers }),
    },
    ...(body && { requestBody: { required: true, content: contentOf(body) } }),
    responses: {
      200: answer
        ? { description: answer.description, content: contentOf({ [answer.contentType]: answer.schema }) }
        : taken,
      ...errorResponses(errors),
    },
  };
};

const botInPath = z.object({
  botId: z.uuid().meta({ description: 'The bot to which the delivery is addressed.' }),
});

const contentOf = (schemas: Readonly<Record<string, z.ZodType>>) =>
  Object.fromEntries(Object.entries(schemas).map(([type, schema]) => [type, { schema }]));

/** The paths of all platforms. A path may have several methods. */
function pathsOfPlatforms(): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const operation of Object.values(ofPlatforms(({ operations }) => operations)).flat())
    paths[operation.path] = { ...paths[operation.path], [operation.method]: toOperation(operation) };
  return paths;
}

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
  ...pathsOfPlatforms(),
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
};
