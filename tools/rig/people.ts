import type { Installation } from './installation.ts';

export interface Person {
  idpUserId: string;
  /** The value of `Authorization`. */
  bearer: string;
  userId: string;
}

/** Longer than any run. */
const tokenSeconds = 24 * 60 * 60;

/** Creates a person and signs them in once, so that Botyard knows them. */
export async function signIn(
  { idp, system, platformOrgId }: Pick<Installation, 'idp' | 'system' | 'platformOrgId'>,
  { name, isOperator = false }: { name: string; isOperator?: boolean },
): Promise<Person> {
  const email = `${name}@people.example`;
  const { id: idpUserId } = idp.addUser({ firstName: name, email });
  const token = await idp.sessionToken({
    userId: idpUserId,
    expiresInSeconds: tokenSeconds,
    ...(isOperator ? { orgId: platformOrgId, orgRole: 'org:admin' } : {}),
    claims: { name, email },
  });
  const bearer = `Bearer ${token}`;
  const { userId } = await ask<{ userId: string }>(system, bearer, 'GET /api/current-user');
  return { idpUserId, bearer, userId };
}

/** Calls the API as a person, or without a session. @throws if the call fails. */
export async function ask<Body = Record<string, unknown>>(
  { gatewayUrl }: { gatewayUrl: string },
  bearer: string | undefined,
  what: string,
  body?: unknown,
): Promise<Body> {
  const [method = '', path = ''] = what.split(' ');
  const response = await fetch(`${gatewayUrl}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(bearer ? { authorization: bearer } : {}) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${what} returned ${response.status}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as Body;
}
