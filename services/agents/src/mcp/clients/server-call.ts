import type { Egress } from '@botyard/shared/http/egress/egress';
import { type ServerAddress, VisitError, visit } from './server-visit.ts';

/** A call that an agent makes. */
interface ServerCall {
  name: string;
  arguments: Record<string, unknown>;
  /** As it was pinned: the library copies arguments into headers that it names. */
  inputSchema: Record<string, unknown>;
  /** The answers to a question of the server: the call goes on, and is no new one. */
  continuation?: Continuation | undefined;
}

/** The answers to a question of the server. */
export interface Continuation {
  inputResponses: Record<string, unknown>;
  /** As the server gave it. */
  requestState: string | null;
}

/** A question that the server asks before it goes on: foreign data of any form. */
export interface ServerQuestion {
  inputRequests: unknown;
  requestState: string | null;
}

/** A result, as the server gave it: foreign data of any form. */
export interface ServerResult {
  content: readonly unknown[];
  structuredContent: unknown;
  isError: boolean;
}

/** A call may take this long while its server reports progress. */
const maxCallMs = 60_000;
const maxStateUnits = 64 * 1024;

/** The one for whom a call is made. */
export interface CallWatch {
  /** Aborts when the result is no longer wanted. The server is told, and the call may have had its effect. */
  cancelled?: AbortSignal | undefined;
  /** Called for every sign of progress: as often as the server likes. */
  onProgress?: (() => void) | undefined;
  /** The limit on connection and call together. */
  maxMs?: number;
}

/**
 * Calls a tool once: nothing is sent again, whatever happens. @throws VisitError, which says whether it may have run.
 */
export const callTool = (
  egress: Egress,
  address: ServerAddress,
  call: ServerCall,
  { cancelled, onProgress, maxMs = maxCallMs }: CallWatch = {},
): Promise<ServerResult | ServerQuestion> =>
  visit(egress, address, { maxMs, cancelled, answersForms: true }, async ({ client, signal, begin }) => {
    const { name, inputSchema } = call;
    const toolDefinition = { name, inputSchema: { ...inputSchema, type: 'object' as const } };
    const options = {
      signal,
      toolDefinition,
      timeout: address.timeoutMs,
      resetTimeoutOnProgress: true,
      onprogress: () => onProgress?.(),
    };
    begin();
    try {
      const parameters = { name, arguments: call.arguments, ...retryOf(call.continuation) };
      const answer = await client.callTool(parameters, { ...options, allowInputRequired: true });
      return questionIn(answer) ?? resultIn(answer);
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal === undefined) throw error;
      return { content: [{ type: 'text', text: refusal }], structuredContent: undefined, isError: true };
    }
  });

/** The answer of a server that gave no result; `undefined` if it didn't answer. */
function refusalIn(error: unknown): string | undefined {
  const { name, code, message } = error as { name?: unknown; code?: unknown; message?: unknown };
  if (name === 'ProtocolError' || typeof code === 'number') return String(message);
  return code === 'UNSUPPORTED_RESULT_TYPE'
    ? 'the server asks for more, which can not be answered here'
    : undefined;
}

const retryOf = (continuation: Continuation | undefined) => {
  if (!continuation) return {};
  const { inputResponses, requestState } = continuation;
  return requestState === null ? { inputResponses } : { inputResponses, requestState };
};

function questionIn(answer: object): ServerQuestion | undefined {
  const { resultType, inputRequests, requestState = null } = answer as Record<string, unknown>;
  if (resultType !== 'input_required') return undefined;
  const isFine =
    requestState === null || (typeof requestState === 'string' && requestState.length <= maxStateUnits);
  if (!isFine) throw new VisitError('too large', 'the server wants to keep too much here');
  return { inputRequests, requestState };
}

function resultIn(answer: object): ServerResult {
  const { content, structuredContent, isError } = answer as Record<string, unknown>;
  return { structuredContent, content: Array.isArray(content) ? content : [], isError: isError === true };
}
