/** TXT records of the sandbox's name server, under `/dns`: to prove a tenant's mail domain. */
import type { Answer } from '@botyard/testing/fake/fake-server';
import type { FakeDns } from '@botyard/testing/fake-dns';
import type { ApiRequest } from '../chats/routes.ts';

const nameShape = /^[\w-]{1,63}(?:\.[\w-]{1,63}){0,20}$/;
const maxValueUnits = 1000;
const maxValues = 20;

/** `undefined` when the path is none of the name server's. */
export function answerDns(dns: FakeDns | undefined, { method, path, body }: ApiRequest): Answer | undefined {
  if (path !== '/dns') return undefined;
  if (dns === undefined) return { status: 404, body: { error: 'the sandbox name server does not run' } };
  if (method === 'GET') return { status: 200, body: dns.records };
  if (method !== 'POST') return { status: 405, body: { error: 'GET or POST' } };
  const { name, values } = body;
  const areTexts =
    Array.isArray(values) &&
    values.length <= maxValues &&
    values.every((value) => typeof value === 'string' && value.length <= maxValueUnits);
  if (typeof name !== 'string' || !nameShape.test(name) || !areTexts)
    return {
      status: 400,
      body: { error: 'send { name, values }: the TXT records of a name, none to remove it' },
    };
  dns.setTxt(name, values);
  return { status: 201, body: { name, values } };
}
