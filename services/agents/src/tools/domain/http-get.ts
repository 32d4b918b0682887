import { type EgressAnswer, EgressError } from '@botyard/shared/http/egress/egress';
import { TaskError } from '@botyard/shared/work/thread-tasks';
import type { Tool } from './tool.ts';
import { ToolError } from './tool-error.ts';

const limits = { maxBytes: 256 * 1024, timeoutMs: 10_000 };
const headers = { accept: 'text/*, application/json, application/xml;q=0.9', 'user-agent': 'Botyard' };

/** Returns a page's content as text, only from hosts that the tenant allows (REQ-REL-17). */
export const getPage: Tool<'http_get'> = async (
  { egress, texts },
  { tenantId, settings, parameters, signal },
) => {
  const url = URL.parse(parameters.url);
  if (!url) throw new ToolError('refused', 'this is not a valid address');
  if (!settings.hosts.includes(url.hostname))
    throw new ToolError('refused', `only these hosts are allowed: ${settings.hosts.join(', ')}`);
  const answer = await call(() => egress.request(url.href, { ...limits, headers, signal }));
  refuseOtherStatus(answer);
  const { body, isCut, headers: answered } = answer;
  const encoding = answered['content-encoding'] ?? 'identity';
  if (encoding !== 'identity')
    throw new ToolError('failed', 'the response is compressed, although that was not requested');
  const page = { body, contentType: answered['content-type'] ?? '' };
  const text = await texts.readPage(tenantId, page, signal).catch((error: unknown) => {
    if (!(error instanceof TaskError)) throw error;
    throw new ToolError('failed', 'reading the response takes too long', { cause: error });
  });
  if (text === undefined) throw new ToolError('refused', 'the response is not text');
  return { text: isCut ? `${text}\n[The rest is not shown.]` : text };
};

function refuseOtherStatus({ status }: EgressAnswer): void {
  if (status >= 300 && status < 400)
    throw new ToolError('refused', `the host answered with a redirect (${status}), which is not followed`);
  if (status !== 200) throw new ToolError('failed', `the host answered ${status}`);
}

const words: Readonly<Record<EgressError['fault'], string>> = {
  refused: 'this address may not be called',
  failed: 'the host could not be reached',
  timeout: 'the host did not answer in time',
  'too large': 'the response is too large',
};

/** The exact refusal isn't passed on, because a model could reveal it to strangers. */
async function call(request: () => Promise<EgressAnswer>): Promise<EgressAnswer> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const outcome = error.fault === 'refused' ? 'refused' : 'failed';
    throw new ToolError(outcome, words[error.fault], { cause: error });
  }
}
