import { type Access, type AnyRoute, actsInActiveTenant, isList } from '@botyard/contracts/http/contract';
import { Download } from '@botyard/contracts/http/download';
import { EventStream } from '@botyard/contracts/http/event-stream';
import { type FormFiles, Upload } from '@botyard/contracts/http/upload';
import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { commonMeaning } from './descriptions.ts';
import type { Schema } from './document.ts';
import { exampleOf } from './examples.ts';
import { errorResponses, errorStatusesOf } from './responses.ts';

const successes: Readonly<Record<number, string>> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted. The work continues in the background.',
  204: 'Success. The response has no body.',
  303: 'Redirects the browser to the URL in `Location`.',
};

/** Converts a contract's route to an OpenAPI operation. */
export function createOperation(route: AnyRoute): ZodOpenApiOperationObject {
  const { summary, description, access, status, body, files } = route;
  return {
    summary,
    description: [description, whoMayCall(access, pathParams(route).includes('tenantId'))]
      .filter(Boolean)
      .join('\n\n'),
    'x-access': access,
    ...(access === 'public' ? { security: [] } : {}),
    requestParams: requestParams(route),
    ...(body ? { requestBody: { required: true, content: bodyOf(body, files, summary) } } : {}),
    responses: { [status]: success(route), ...errorResponses(errorStatusesOf(route)) },
  };
}

/** A route with files takes a form, too. Its text is optional there. */
const bodyOf = (body: z.ZodType, files: FormFiles | undefined, where: string) => ({
  ...contentOf(body, 'input', where),
  ...(files ? { 'multipart/form-data': { schema: formSchema(files) } } : {}),
});

const formSchema = ({ most, maxBytesOfOne }: FormFiles) => ({
  type: 'object' as const,
  required: ['files'],
  properties: {
    files: {
      type: 'array' as const,
      minItems: 1,
      maxItems: most,
      items: binary,
      description: `The files: at most ${most}, each of at most ${maxBytesOfOne} bytes.`,
    },
    text: {
      type: 'string' as const,
      maxLength: 16_000,
      description: 'The text of the first message, in Markdown.',
    },
  },
});

const binary = { type: 'string', format: 'binary' } as const;

function contentOf(schema: z.ZodType, io: 'input' | 'output', where: string) {
  if (schema === Upload)
    return { '*/*': { schema: { ...binary, description: 'The file. `Content-Type` specifies its type.' } } };
  if (schema === Download) return { '*/*': { schema: binary } };
  if (schema === EventStream) return { 'text/event-stream': { schema: { type: 'string' } as const } };
  return { 'application/json': { schema, example: exampleOf(schema, io, where) } };
}

function pathParams({ path }: AnyRoute): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}

const narrowing = z.uuid().optional().meta({
  description:
    'The tenant whose items to list, instead of the active one. Returns 403 if the caller has no access to it.',
});
const tenantHeader = z.object({
  'X-Tenant-Id': z.uuid().optional().meta({
    description:
      'The tenant for this request, instead of the active one. Returns 403 if the caller has no access to it.',
  }),
});

function requestParams(route: AnyRoute) {
  const names = pathParams(route);
  const path = Object.fromEntries(names.map((name) => [name, route.params[name] ?? z.uuid()]));
  const own = route.query instanceof z.ZodObject ? route.query.shape : {};
  const inTenant = actsInActiveTenant(route);
  const query = { ...own, ...(inTenant && isList(route) ? { tenantId: narrowing } : {}) };
  return {
    ...(names.length > 0 ? { path: z.object(describeParameters(path)) } : {}),
    ...(Object.keys(query).length > 0 ? { query: z.object(describeParameters(query)) } : {}),
    ...(inTenant ? { header: tenantHeader } : {}),
  };
}

function success({ status, response, paged, summary }: AnyRoute) {
  const link = z
    .string()
    .optional()
    .meta({ description: 'The next page, as `<url>; rel="next"`. Absent on the last page.' });
  return {
    description: successes[status] ?? '',
    ...(response ? { content: contentOf(response, 'output', summary) } : {}),
    ...(paged ? { headers: z.object({ Link: link }) } : {}),
  };
}

function whoMayCall(access: Access, hasTenantInPath: boolean): string {
  const tenant = hasTenantInPath ? 'the tenant' : 'the active tenant';
  const texts: Record<Access, string> = {
    public: 'Public: requires no authentication.',
    authenticated: 'Requires authentication. Any signed-in caller may call it.',
    anyAdmin: 'Requires the caller to be an admin of at least one tenant.',
    anyAdminOrOperator: 'Requires the caller to be an admin of at least one tenant, or an operator.',
    member: `Requires the caller to be a member of ${tenant}, or an operator.`,
    responder: `Requires the caller to be an admin of ${tenant}, an operator, or a responder, who sees only their bots' chats.`,
    admin: `Requires the caller to be an admin of ${tenant}, or an operator.`,
    operator: 'Requires the caller to be an operator of the platform.',
  };
  return texts[access];
}

const texts: Readonly<Record<string, string>> = {
  tenantId: "The tenant. The caller's access to it is checked first.",
  limit: 'Maximum number of items per page.',
  before: 'Opaque cursor of the page, taken from the `Link` header of the previous page.',
  provider: 'The model provider.',
};

/** Adds a description to each parameter that has none: a common one, or one derived from its name. */
function describeParameters(shape: Readonly<Record<string, z.core.$ZodType>>): z.core.$ZodLooseShape {
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => {
      const zod = schema as z.ZodType;
      return [name, zod.description ? zod : zod.meta({ description: texts[name] ?? meaningOf(name, zod) })];
    }),
  );
}

function meaningOf(name: string, schema: z.ZodType): string {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
  const meaning = json.description ?? commonMeaning(name, json);
  if (!meaning) throw new Error(`the parameter ${name} has no description: give its contract one`);
  return meaning;
}
