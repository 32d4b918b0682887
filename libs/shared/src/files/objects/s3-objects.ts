import { type ClientRequest, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { boundedChunks, readStart } from '../../http/bounded-body.ts';
import type { Secret } from '../../secrets/secret.ts';
import { answered, checkKey, type ObjectFacts, type ObjectStore } from './object-store.ts';

interface S3Options {
  /** With the bucket in its path, such as `https://s3.eu-central-1.amazonaws.com/botyard`. */
  url: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: Secret;
}

const timeoutMs = 30_000;
/** Larger than any object. */
const maxObjectBytes = 128 * 1024 * 1024;
/** Limit of the store's response to an upload. */
const maxWordsBytes = 64 * 1024;

interface Call {
  method: 'PUT' | 'GET' | 'DELETE';
  key: string;
  headers?: Record<string, string>;
}

/**
 * Any store that speaks S3; its bucket has to exist. Objects are written as a whole or not at all. Private addresses
 * are allowed, because the operator configures them. The signing library is loaded with the first object.
 */
export function createS3Objects(options: S3Options): ObjectStore {
  return {
    put: (key, content, facts) =>
      answered(async () => {
        checkKey(key);
        const signed = await sign(options, { method: 'PUT', key, headers: headersOf(facts) });
        await send(signed, content);
      }),
    get: (key) =>
      answered(async () => {
        checkKey(key);
        const response = await fetchSigned(options, { method: 'GET', key });
        if (response.status === 404) {
          await response.body?.cancel();
          return null;
        }
        if (!response.ok || !response.body) throw await refusalOf(response);
        return Readable.from(boundedChunks(response, maxObjectBytes), { objectMode: false });
      }),
    remove: (key) =>
      answered(async () => {
        checkKey(key);
        const response = await fetchSigned(options, { method: 'DELETE', key });
        if (!response.ok && response.status !== 404) throw await refusalOf(response);
        await response.body?.cancel();
      }),
    sweep: async () => 0,
  };
}

const headersOf = ({ sizeBytes, sha256 }: ObjectFacts) => ({
  'content-length': String(sizeBytes),
  'content-type': 'application/octet-stream',
  'x-amz-content-sha256': sha256,
});

interface Signed {
  method: string;
  url: URL;
  headers: Headers;
}

async function sign(options: S3Options, { method, key, headers = {} }: Call): Promise<Signed> {
  const { AwsV4Signer } = await import('aws4fetch');
  const { region, accessKeyId, secretAccessKey } = options;
  const signer = new AwsV4Signer({
    method,
    url: `${options.url}/${key}`,
    headers,
    service: 's3',
    region,
    accessKeyId,
    secretAccessKey: secretAccessKey.reveal(),
  });
  return await signer.sign();
}

async function fetchSigned(options: S3Options, call: Call): Promise<Response> {
  const { method, url, headers } = await sign(options, call);
  return await fetch(url, { method, headers, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
}

/** Uses the plain client: `fetch` sends a stream without its length, which S3 refuses. */
async function send({ method, url, headers }: Signed, content: Readable): Promise<void> {
  const make = url.protocol === 'https:' ? requestHttps : requestHttp;
  const req = make(url, {
    method,
    headers: Object.fromEntries(headers),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const answer = statusOf(req);
  // An early refusal breaks the pipe; the response is more useful than that error.
  const [sent, status] = await Promise.allSettled([pipeline(content, req), answer]);
  if (status.status === 'rejected') throw status.reason;
  if (status.value !== 200) throw new Error(`the object store answered ${status.value}`);
  if (sent.status === 'rejected') throw sent.reason;
}

function statusOf(req: ClientRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    req.once('error', reject);
    req.once('response', (res) => {
      readStart({ body: res }, maxWordsBytes).then(() => resolve(res.statusCode ?? 0), reject);
    });
  });
}

async function refusalOf(response: Response): Promise<Error> {
  await response.body?.cancel();
  return new Error(`the object store answered ${response.status}`);
}
