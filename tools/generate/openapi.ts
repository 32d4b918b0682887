import type { AnyRoute, Router } from '@botyard/contracts/http/contract';
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { nameUnionMembers } from './discriminators.ts';
import type { OpenapiDocument } from './document.ts';
import { createOperation } from './operation.ts';
import { describeSchemas } from './property-descriptions.ts';
import { nameRequestBodies } from './request-bodies.ts';
import { orderByGroup, tagGroups } from './tag-groups.ts';
import { healthPath, telemetryPaths } from './uncontracted-paths.ts';
import { webhookPaths } from './webhook-paths.ts';

const description = `The HTTP API of Botyard, a service that hosts chat bots for many tenants.

Paths have no version, and responses have no envelope: a resource is the body itself, and a list is a JSON array, newest
first. Lists are paged by \`limit\` and \`before\`. If there are more items, a \`Link\` header with \`rel="next"\` points to the
next page.

Every error has the body \`{ "error": string }\`, a message for people; programs decide by the status. An invalid request
returns 400 and also has \`issues\`, each \`{ path, message }\`. Unknown fields of a body and unknown query parameters are
invalid. Only the identifiers \`id\`, \`tenantId\`, \`botId\`, \`integrationId\`,
\`keyId\`, \`agentId\` and \`userId\` are ignored if they are not a field. A malformed identifier in a path returns 404.
Callers who may use one of a path's methods get 405 with \`Allow\` for any other method. A tenant that the caller has no
access to returns 403, whether or not it exists. A missing resource in an accessible tenant returns 404.

\`x-access\` of an operation specifies who may call it: \`public\`, \`authenticated\`, \`anyAdmin\` (an admin of at least one
tenant), \`anyAdminOrOperator\`, \`member\`, \`admin\` or \`operator\`. \`member\` and \`admin\` refer to the tenant in the path,
otherwise to the active tenant, and also admit operators. If the path has no tenant, the \`X-Tenant-Id\` header selects one;
for lists, so does \`?tenantId\`. Without either, the active tenant is used: the one selected by
\`POST /api/tenant/select\`, otherwise the one of the session token's organization, otherwise the caller's only tenant. If
none of these applies, the response is 400.

\`messenger\`, \`idp\` and \`mailer\` are neutral terms for the chat platform, the identity provider and the mail provider.`;

/** The OpenAPI 3.1 document of these routers, and of the paths that no router serves. */
export function createOpenapi(routers: readonly Router[]) {
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: { title: 'Botyard', version: '0.1.0', description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/', description: 'The gateway, by default at http://localhost:3001.' }],
    security: [{ session: [] }],
    tags: orderByGroup([
      ...routers.map((router) => ({ name: tagOf(router), description: router.description })),
      { name: 'health', description: 'Health of the services. Public.' },
      { name: 'telemetry', description: 'Telemetry of the console and of apps. Public.' },
      {
        name: 'webhooks',
        description: 'Endpoints called by the platforms. Each handler verifies the sender.',
      },
    ]),
    'x-tagGroups': tagGroups,
    paths: { ...createPaths(routers), ...healthPath, ...telemetryPaths, ...webhookPaths },
    components: {
      securitySchemes: {
        session: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'A session token of the identity provider.',
        },
      },
    },
  };
  const created = withoutClosing(
    createDocument(document, { override: leaveNoiseOut }) as unknown as OpenapiDocument,
  );
  nameRequestBodies(created);
  nameUnionMembers(created);
  describeSchemas(created);
  return created;
}

/** Next to a `$ref`, `additionalProperties: false` would forbid all properties of the object. */
function withoutClosing<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutClosing) as Value;
  const kept = Object.entries(value).filter(
    ([name, inner]) => !(name === 'additionalProperties' && inner === false),
  );
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutClosing(inner)])) as Value;
}

/** Removes keywords without information: patterns of known formats, and the integer limits of JavaScript. */
const leaveNoiseOut: ZodOpenApiOverride = ({ jsonSchema }) => {
  if (jsonSchema.format) delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

function createPaths(routers: readonly Router[]): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  const seen = new Set<string>();
  for (const router of routers) {
    for (const [name, route] of Object.entries(router.routes)) {
      if (seen.has(name)) throw new Error(`two routes are named ${name}`);
      seen.add(name);
      const path = fullPath(router, route).replace(/:(\w+)/g, '{$1}');
      paths[path] ??= {};
      paths[path][route.method] = { tags: [tagOf(router)], operationId: name, ...createOperation(route) };
    }
  }
  return paths;
}

function fullPath({ basePath }: Router, { path }: AnyRoute): string {
  return path === '/' ? basePath : `${basePath}${path}`;
}

const tagOf = ({ basePath }: Router): string => basePath.replace('/api/', '');
