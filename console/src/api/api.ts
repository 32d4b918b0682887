import { type Client, createClient } from '@botyard/client/client';
import { acting } from './acting.tsx';
import { fetchOnce } from './first-requests.ts';
import { tokenOf } from './tokens.ts';

const options = {
  origin: window.location.origin,
  token: () => tokenOf(acting.as),
  tenantId: () => acting.tenantId,
  fetch: fetchOnce,
};

/** The console's only API client. */
export const api = createClient(options);

/** A client for file uploads. It reports the share of the file that has been sent, from 0 to 1. */
export const apiForFile = (onProgress: (share: number) => void): Client =>
  createClient({ ...options, fetch: sendWithProgress(onProgress) });

/** Sends a request and reports the sent share of its body, from 0 to 1. `fetch` can't report upload progress. */
const sendWithProgress =
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
      sending.addEventListener('error', () => reject(new TypeError('The connection was lost. Try again.')));
      sending.addEventListener('abort', () => reject(new Error('Upload canceled.')));
      request.signal.addEventListener('abort', () => sending.abort());
      if (request.signal.aborted) reject(new Error('Upload canceled.'));
      else sending.send(body);
    });
  };

/** Converts the result to a `Response`. */
function answerOf(sent: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of sent.getAllResponseHeaders().split('\r\n')) {
    const [name, ...value] = line.split(':');
    if (name) headers.append(name, value.join(':').trim());
  }
  return new Response(sent.responseText || null, { status: sent.status, headers });
}
