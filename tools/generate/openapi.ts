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

const description = `The HTTP interface of Botyard, a service that hosts chat bots for many tenants.

Paths have no version and answers no envelope: a resource is the body, a list is a JSON array, newest first. A list is
paged by \`limit\` and \`before\`; while there is more, a \`Link\` header with \`rel="next"\` names the next page.

Every error is \`{ "error": string, "code": string }\`: \`error\` is for people, \`code\` is stable and for programs. A request
that can't be understood is 400 with \`issues\` beside them, \`{ path, code, message }\` each. That counts for unknown fields of a body
and unknown query parameters, too; only identifiers (\`id\`, \`tenantId\`, \`botId\`, \`integrationId\`, \`keyId\`, \`agentId\`,
\`userId\`) are ignored where they are no field. An identifier that can't be one is 404.
Another method than those of a path is 405 with \`Allow\`, for callers who may use one of them. A tenant that the caller may not reach is 403, the same whether it exists or not; something that
is missing inside a tenant that the caller may reach is 404.

\`x-access\` of an operation says who may call it: \`public\`, \`authenticated\`, \`anyAdmin\` (an admin of at least one tenant),
\`member\`, \`admin\` (both of the tenant in the path, else of the active one; operators too) or \`operator\`. Where no tenant is
in the path, \`X-Tenant-Id\` names it, and of a list \`?tenantId\`. Without them it is the active tenant: the one selected by
\`POST /api/tenant/select\`, else the one of the session token's organization, else the caller's only one; with none of these the
answer is 400. \`x-callers\` says whether a program with an API token may call it, too: that acts in its own tenant alone,
and what \`people\` have to do is 403.

\`messenger\`, \`idp\` and \`mailer\` are neutral words for the chat platform, the identity provider and the mail provider.`;

/** The OpenAPI 3.1 document of these routers, and of the paths outside any router. */
export function createOpenapi(routers: readonly Router[]) {
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: { title: 'Botyard', version: '0.1.0', description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/', description: 'The gateway; http://localhost:3001 by default.' }],
    security: [{ session: [] }],
    tags: orderByGroup([
      ...routers.map((router) => ({ name: tagOf(router), description: router.description })),
      { name: 'health', description: 'Whether the service works. Public.' },
      { name: 'telemetry', description: 'What the console and apps tell of themselves. Public.' },
      { name: 'webhooks', description: 'What the platforms call. Each handler verifies its sender.' },
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
        apiToken: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API token of a tenant, `byd_…`: see `POST /api/auth/tokens`. Good where `x-callers` says so.',
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

/** Beside a `$ref`, `additionalProperties: false` would mean that the object has no property at all. */
function withoutClosing<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutClosing) as Value;
  const kept = Object.entries(value).filter(
    ([name, inner]) => !(name === 'additionalProperties' && inner === false),
  );
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutClosing(inner)])) as Value;
}

/** Removes keywords that tell a reader nothing: patterns of known formats, and the limits of JavaScript. */
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
