import { listenOnLoopback, readBody, sendAnswer } from '@botyard/testing/fake/fake-server';
import type { TestService } from '@botyard/testing/service-harness';
import { anonymous } from '@botyard/testing/test-call';

const passedOn = ['content-type', 'x-slack-signature', 'x-slack-request-timestamp', 'x-slack-retry-num'];

/** Passes requests on to the service with their bodies unchanged, as the gateway does. */
export async function passOn(webhooks: TestService): Promise<{ url: string; close(): Promise<void> }> {
  const { origin, close } = await listenOnLoopback(async (req, res) => {
    const body = new Uint8Array(await readBody(req));
    const headers = passedOn.flatMap((name) => {
      const value = req.headers[name];
      return typeof value === 'string' ? [[name, value] as const] : [];
    });
    const answer = await webhooks.call(req.method ?? 'POST', req.url ?? '/', {
      as: anonymous,
      headers: Object.fromEntries(headers),
      ...(body.length > 0 ? { rawBody: body } : {}),
    });
    const type = answer.headers.get('content-type') ?? 'text/plain';
    sendAnswer(res, { status: answer.status, body: answer.text, headers: { 'content-type': type } });
  });
  return { url: origin, close };
}
