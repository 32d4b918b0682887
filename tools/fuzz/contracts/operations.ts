import { readFileSync } from 'node:fs';
import { routers } from '@botyard/contracts/http/catalogue';
import type { AnyRoute, Router } from '@botyard/contracts/http/contract';

export type Schema = Readonly<Record<string, unknown>>;
interface Content {
  schema: Schema;
}
interface DocumentedResponse {
  $ref?: string;
  content?: Record<string, Content>;
}
interface DocumentedOperation {
  operationId: string;
  parameters?: { in: string; name: string; schema: Schema; required?: boolean }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, DocumentedResponse>;
}

/** A route of a contract with its entry in the published document. */
export interface Operation {
  name: string;
  router: Router;
  route: AnyRoute;
  /** For example `/api/keys/:tenantId`. */
  path: string;
  params: readonly string[];
  query: Readonly<Record<string, Schema>>;
  /** `binary` is an upload. */
  body: Schema | 'binary' | null;
  /** The schemas by status. `null` stands for no body or a body that isn't JSON. */
  responses: ReadonlyMap<number, Schema | null>;
}

export const openapi = JSON.parse(
  readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'),
) as { paths: Record<string, Record<string, DocumentedOperation>>; components: unknown };

const documented = new Map(
  Object.values(openapi.paths)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => [operation.operationId, operation]),
);

/** Follows `#/components/…`. */
export function followRef<Value extends object>(value: Value): Value {
  const { $ref } = value as { $ref?: string };
  if ($ref === undefined) return value;
  const target = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], openapi);
  return followRef(target as Value);
}

const json = 'application/json';

function operationOf(router: Router, name: string, route: AnyRoute): Operation {
  const operation = documented.get(name);
  if (!operation) throw new Error(`docs/openapi.json does not contain ${name}: run npm run generate`);
  const { parameters = [], requestBody, responses } = operation;
  const queries = parameters.filter(({ in: place }) => place === 'query');
  const path = `${router.basePath}${route.path === '/' ? '' : route.path}`;
  return {
    name,
    router,
    route,
    path,
    params: [...path.matchAll(/:(\w+)/g)].map(([, param = '']) => param),
    query: Object.fromEntries(queries.map(({ name: query, schema }) => [query, schema])),
    body: requestBody ? (requestBody.content[json]?.schema ?? 'binary') : null,
    responses: new Map(
      Object.entries(responses).map(([status, response]) => [
        Number(status),
        followRef(response).content?.[json]?.schema ?? null,
      ]),
    ),
  };
}

/** Every route of every service, as data. */
export const operations: readonly Operation[] = routers.flatMap((router) =>
  Object.entries(router.routes).map(([name, route]) => operationOf(router, name, route)),
);

export const operationNamed = new Map(operations.map((operation) => [operation.name, operation]));
