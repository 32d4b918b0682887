/** The TXT records of the sandbox's name server, under `/dns`, to verify a tenant's mail domain. */
import type { Answer } from '@botyard/testing/fake/fake-server';
import type { FakeDns } from '@botyard/testing/fake-dns';
import type { ApiRequest } from '../chats/routes.ts';

const nameShape = /^[\w-]{1,63}(?:\.[\w-]{1,63}){0,20}$/;
const maxValueUnits = 1000;
const maxValues = 20;

/** Returns `undefined` if the path is not one of the name server. */
export function answerDns(dns: FakeDns | undefined, { method, path, body }: ApiRequest): Answer | undefined {
  if (path !== '/dns') return undefined;
  if (dns === undefined) return { status: 404, body: { error: 'the sandbox name server is not running' } };
  if (method === 'GET') return { status: 200, body: dns.records };
  if (method !== 'POST') return { status: 405, body: { error: 'the method must be GET or POST' } };
  const { name, values } = body;
  const areTexts =
    Array.isArray(values) &&
    values.length <= maxValues &&
    values.every((value) => typeof value === 'string' && value.length <= maxValueUnits);
  if (typeof name !== 'string' || !nameShape.test(name) || !areTexts)
    return {
      status: 400,
      body: { error: 'send { name, values }: the TXT records of a name, or no values to remove the name' },
    };
  dns.setTxt(name, values);
  return { status: 201, body: { name, values } };
}
