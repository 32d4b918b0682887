import { readUnlessStreaming } from '@botyard/testing/read-unless-streaming';
import { whileBusy } from '@botyard/testing/while-busy';
import type { Fixture } from './fixture/fixture.ts';
import { operationNamed } from './operations.ts';
import { type MadeCall, type PlannedCall, resolveRefs } from './planned-call.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';
const timeoutMs = 40_000;

/**
 * Makes a call in a fixture. A reference to a missing resource becomes an unknown identifier. @throws if there is no
 * response.
 */
export async function makeCall(fixture: Fixture, plan: PlannedCall): Promise<MadeCall> {
  const lookUp = (key: string): string =>
    key === 'scope' ? fixture.name : (fixture.pool.get(key)?.value ?? unknownId);
  const path = resolveRefs(`${plan.path}${plan.query}`, lookUp);
  const body = plan.body === undefined ? undefined : JSON.stringify(resolveRefs(plan.body, lookUp));
  const payload = plan.rawBody ?? body;
  const headers = new Headers();
  const authorization = plan.caller === 'anonymous' ? plan.authorization : fixture.people[plan.caller].bearer;
  if (authorization !== undefined) headers.set('authorization', authorization);
  if (payload !== undefined) headers.set('content-type', plan.contentType ?? 'application/json');
  const call = () =>
    fetch(`${fixture.installation.system.gatewayUrl}${path}`, {
      method: plan.method,
      redirect: 'manual',
      headers,
      signal: AbortSignal.timeout(timeoutMs),
      ...(payload === undefined ? {} : { body: payload }),
    });
  const response = await whileBusy(call);
  const text = await readUnlessStreaming(response);
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const { status } = response;
  return {
    plan,
    path,
    sent: `${path}${payload ?? ''}`,
    status,
    text,
    json: isJson ? JSON.parse(text) : undefined,
    headers: response.headers,
  };
}

/** Describes the caller, the call and the response in one line. */
export function describeCall({ plan, path, sent, status, text }: MadeCall): string {
  const body = sent.slice(path.length);
  const shown = body === '' ? '' : ` ${body.length > 600 ? `${body.slice(0, 600)}… (${body.length})` : body}`;
  return `${plan.caller}: ${plan.method} ${path}${shown} -> ${status} ${text.slice(0, 200)}`;
}

export const operationOf = ({ route }: PlannedCall) => {
  const operation = operationNamed.get(route);
  if (!operation) throw new Error(`there is no route ${route}`);
  return operation;
};
