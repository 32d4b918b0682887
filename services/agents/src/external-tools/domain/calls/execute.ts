import { withoutSecrets } from '@botyard/shared/log/without-secrets';
import type { CallWatch, Continuation, ServerQuestion } from '../../../mcp/clients/server-call.ts';
import type { ResultPicture } from '../../../mcp/domain/result-parts.ts';
import { storable } from '../../../models/clients/wire.ts';
import { type ProviderTool, ToolProviderError } from '../../clients/tool-provider.ts';
import type { Deps } from '../../deps.ts';

/** The result of a call to the provider. */
export interface Executed {
  /**
   * `postponed`: the call had no effect, and a later attempt may succeed. `asks`: the server has a question, and the
   * call goes on with the answer.
   */
  outcome: 'succeeded' | 'failed' | 'uncertain' | 'postponed' | 'asks';
  question?: ServerQuestion;
  /** External data. For a model it is marked as such. */
  text: string;
  /** Pictures that the text names. They aren't stored: a repeated attempt has the text only. */
  pictures?: readonly ResultPicture[];
  detail: string | null;
  logId: string | null;
  retryAfterMs?: number | undefined;
}

/** One call, or its continuation. */
interface CallOrder {
  arguments: string;
  accountId: string | null;
  continuation?: Continuation | undefined;
}

/** A tool that can be called now, of the provider or of an MCP server. */
export interface CalledTool {
  /** Whether a call may be made twice without harm. */
  isRepeatable: boolean;
  /** Whether a rule that allows it isn't enough. */
  needsApproval: boolean;
  /** The definition that was allowed; `null` for a tool of the provider. */
  pin: string | null;
  /** Makes one call. Never throws. */
  execute(call: CallOrder, watch?: CallWatch): Promise<Executed>;
}

/** A hanging call is abandoned after this time. */
const executionTimeoutMs = 15_000;
const maxResultUnits = 8000;
const maxDetailUnits = 300;

/** Whether the provider declares the call idempotent. */
export const isRepeatable = ({ tags }: ProviderTool): boolean =>
  hasTag(tags, 'readOnlyHint') || hasTag(tags, 'idempotentHint');

export const hasTag = (tags: ProviderTool['tags'], wanted: string): boolean =>
  tags?.some((tag) => tag.toLowerCase() === wanted.toLowerCase()) === true;

/**
 * Calls the provider once. Stopping the service doesn't abort the call: it is short, and the effect of an aborted call
 * would be unknown. Never throws.
 */
export async function executeOnce(
  { toolProvider, log }: Pick<Deps, 'toolProvider' | 'log'>,
  order: { tool: string; account: { accountId: string } | { userId: string }; arguments: string },
): Promise<Executed> {
  try {
    const signal = AbortSignal.timeout(executionTimeoutMs);
    const {
      data,
      error,
      successful,
      log_id: logId = null,
    } = await toolProvider.execute({ ...order, signal });
    if (successful) return { outcome: 'succeeded', text: shownResult(data), detail: null, logId };
    return {
      outcome: 'failed',
      text: shownResult(error ?? data),
      detail: 'the tool reported an error',
      logId,
    };
  } catch (error) {
    if (!(error instanceof ToolProviderError)) throw error;
    log.warn({ err: error, tool: order.tool, fault: error.fault }, 'an external tool call failed');
    return faulty(error);
  }
}

function faulty({ fault, message, retryAfterMs }: ToolProviderError): Executed {
  const nothing = { text: '', logId: null };
  switch (fault) {
    case 'unclear':
      return { ...nothing, outcome: 'uncertain', detail: 'there was no answer' };
    case 'limited':
      return { ...nothing, outcome: 'postponed', detail: 'too many calls at once', retryAfterMs };
    case 'unavailable':
      return { ...nothing, outcome: 'postponed', detail: 'the service could not be reached' };
    case 'not found':
      return { ...nothing, outcome: 'failed', detail: 'the tool or the account no longer exists' };
    case 'refused':
      return {
        ...nothing,
        text: message,
        outcome: 'failed',
        detail: withoutSecrets(message).slice(0, maxDetailUnits),
      };
  }
}

export const shownResult = (data: unknown): string => {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
  return storable(withoutSecrets(text.slice(0, maxResultUnits * 2)))
    .slice(0, maxResultUnits)
    .toWellFormed();
};
