import { type Client, createClient } from '@botyard/client/client';
import { acting, tokenOf } from './acting.tsx';

const options = {
  origin: window.location.origin,
  token: () => tokenOf(acting.as),
  tenantId: () => acting.tenantId,
};

/** The only way of the console to the API. */
export const api = createClient(options);

/** The same for a file: tells how much of it has gone out, from 0 to 1. */
export const apiForFile = (onProgress: (share: number) => void): Client =>
  createClient({ ...options, fetch: sendTelling(onProgress) });

/** Sends a request and tells how much of its body has gone out, from 0 to 1: `fetch` can't tell that. */
const sendTelling =
  (onProgress: (share: number) => void) =>
  async (request: Request): Promise<Response> => {
    const body = await request.blob();
    return await new Promise((resolve, reject) => {
      const sending = new XMLHttpRequest();
      sending.open(request.method, request.url);
      request.headers.forEach((value, name) => {
        sending.setRequestHeader(name, value);
      });
      sending.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total));
      sending.addEventListener('load', () => resolve(answerOf(sending)));
      sending.addEventListener('error', () => reject(new TypeError('The connection was lost.')));
      sending.addEventListener('abort', () => reject(new Error('It was stopped.')));
      request.signal.addEventListener('abort', () => sending.abort());
      if (request.signal.aborted) reject(new Error('It was stopped.'));
      else sending.send(body);
    });
  };

/** As `fetch` would give it. */
function answerOf(sent: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of sent.getAllResponseHeaders().split('\r\n')) {
    const [name, ...value] = line.split(':');
    if (name) headers.append(name, value.join(':').trim());
  }
  return new Response(sent.responseText || null, { status: sent.status, headers });
}
