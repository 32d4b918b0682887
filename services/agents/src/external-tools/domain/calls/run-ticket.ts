import { serverOfToolkit } from '@botyard/contracts/http/tools';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { isUnavailable } from '@botyard/shared/http/errors';
import { failpoint } from '@botyard/shared/service/failpoint';
import { contextFrom, runInContext } from '@botyard/shared/tracing/context';
import { getDefinition } from '../../../definitions/store/definitions.ts';
import type { Continuation } from '../../../mcp/clients/server-call.ts';
import { toolIdOf } from '../../../mcp/domain/offered-tools.ts';
import { UnusableTool } from '../../../mcp/domain/unusable-tool.ts';
import type { Deps } from '../../deps.ts';
import { findActiveConnection } from '../../store/connections.ts';
import { insertExecution } from '../../store/executions.ts';
import { getPlaceOfTicket } from '../../store/place-of-ticket.ts';
import { beginCall, postponeTicket } from '../../store/ticket-claims.ts';
import type { TicketRow } from '../../store/tickets.ts';
import { peopleOf } from '../owners.ts';
import { permissionFor } from '../permission.ts';
import { hashOf } from './arguments.ts';
import { askForInput } from './ask-for-input.ts';
import { typingWhileProgress } from './call-watch.ts';
import { findCalledTool } from './called-tool.ts';
import type { CalledTool, Executed } from './execute.ts';
import { endTicket, executionOf, type TicketEnd } from './finish-ticket.ts';
import { responsesTo } from './input-answers.ts';
import { granteeOf } from './own-account.ts';
import { untilWritten } from './until-written.ts';

const maxTries = 8;
const firstPauseMs = 1000;
const longestPauseMs = 60_000;

/** The reason why an approved call is not made after all. */
class Refused extends Error {
  override readonly name = 'Refused';
}

/**
 * Does the due work of a claimed ticket (docs/decisions/0023-external-tools.md). Reports one that has expired, or whose
 * tool has changed. Makes an approved call, if rules, tool and account are unchanged. If the calling process died
 * before the answer was stored, reports that the result is unknown, or repeats the call if that is harmless.
 */
export async function runTicket(deps: Deps, ticket: TicketRow, signal: AbortSignal): Promise<void> {
  const context = contextFrom({});
  context.tenantId = ticket.tenantId;
  await runInContext(context, async () => {
    if (ticket.status === 'pending') return await end(deps, ticket, isEarly(ticket) ? changed : expired);
    if (ticket.calledAt && !ticket.isRepeatable) return await end(deps, ticket, interrupted);
    const ready = await begin(deps, ticket, signal);
    if (ready) await call(deps, ticket, ready, signal);
  });
}

/** Resolves with `undefined` if the call isn't made now. After this nothing is tried again: it is made once. */
async function begin(deps: Deps, ticket: TicketRow, signal: AbortSignal): Promise<Ready | undefined> {
  try {
    const ready = await prepare(deps, ticket);
    signal.throwIfAborted();
    return (await keepBegun(deps, ticket, ready)) ? ready : undefined;
  } catch (error) {
    if (error instanceof Refused || (error instanceof UnusableTool && error.fault !== 'away'))
      await end(deps, ticket, { status: 'refused', detail: error.message, result: null });
    else if (isPassing(error)) await postpone(deps, ticket, { cause: error });
    else throw error;
    return undefined;
  }
}

const expired: TicketEnd = { status: 'expired', detail: null, result: null };
/** The clocks of this machine and of the database may differ by this much. */
const clockMarginMs = 60_000;

/** A pending ticket is due before it expires only if its tool has changed. */
const isEarly = ({ expiresAt }: TicketRow): boolean => expiresAt.getTime() - clockMarginMs > Date.now();

const changed: TicketEnd = {
  status: 'refused',
  detail: 'the tool has changed since the call was requested',
  result: null,
};
const interrupted: TicketEnd = {
  status: 'uncertain',
  detail: 'the service was interrupted in the middle of the call',
  result: null,
};

/** Whether the cause is an outage of the provider, of a server, of tenancy or of the database. */
const isPassing = (error: unknown): boolean => error instanceof UnusableTool || isUnavailable(error);

interface Ready {
  accountId: string | null;
  onProgress: () => void;
  called: CalledTool;
}

/** Checks that all conditions from the time of the request still hold. @throws Refused; outages. */
async function prepare(deps: Deps, ticket: TicketRow): Promise<Ready> {
  const { tenantId, toolkit, tool, botId, agentId } = ticket;
  if (!deps.config.TOOL_INTEGRATIONS_ENABLED) throw new Refused('external tools are switched off');
  if (hashOf(ticket.arguments) !== ticket.argumentsHash)
    throw new Refused('its arguments are not those that were asked for');
  const place = await withTenant(deps.database, [tenantId], (tx) => getPlaceOfTicket(tx, ticket));
  const isPrivate = place?.place.kind === 'private';
  const grantee = granteeOf({ requesters: ticket.requesters, isPrivate });
  const called = await findCalledTool(deps, ticket, { isApproved: true, grantee });
  if (!called) throw new Refused('the tool has changed');
  if (called.pin !== ticket.pin) throw new Refused('the tool has changed since the call was requested');
  const people = await peopleOf(deps, ticket.requesters);
  const onProgress = await typingWhileProgress(deps, ticket);
  return await withTenant(deps.database, [tenantId], async (tx) => {
    if (!(await isStillDefined(tx, ticket))) throw new Refused('the tool has changed');
    const permission = await permissionFor(tx, tenantId, { people, botId, agentId, toolkit, tool });
    if (permission.effect === 'deny') throw new Refused(permission.reason ?? 'the rules do not allow it');
    const connection = ticket.connectionId
      ? await findActiveConnection(tx, tenantId, { toolkit, connectionId: ticket.connectionId })
      : undefined;
    if (ticket.connectionId && !connection) throw new Refused('the account is no longer connected');
    return { accountId: connection?.providerAccountId ?? null, called, onProgress };
  });
}

/** Whether it is the tool that its definition, or its name at a server, stands for. */
async function isStillDefined(
  tx: TenantTx,
  { tenantId, toolId, toolkit, tool }: TicketRow,
): Promise<boolean> {
  const serverId = serverOfToolkit(toolkit);
  if (serverId && toolId === toolIdOf({ serverId, name: tool })) return true;
  const defined = await getDefinition(tx, 'tool', { tenantId, id: toolId });
  return (
    defined?.kind === 'external' && defined.settings.toolkit === toolkit && defined.settings.tool === tool
  );
}

/** From here on, the call's effect is unknown until its answer is stored. Returns `false` if the claim was lost. */
async function keepBegun({ database }: Deps, ticket: TicketRow, ready: Ready): Promise<boolean> {
  return await withTenant(database, [ticket.tenantId], async (tx) => {
    if (!(await beginCall(tx, ticket, ready.called.isRepeatable))) return false;
    await insertExecution(tx, executionOf(ticket, 'executing'));
    return true;
  });
}

async function call(deps: Deps, ticket: TicketRow, ready: Ready, signal: AbortSignal): Promise<void> {
  const { called, accountId, onProgress } = ready;
  await failpoint('agents.ticket.before-call');
  const order = { arguments: ticket.arguments, accountId, continuation: continuationOf(ticket) };
  const executed = await called.execute(order, { onProgress });
  await failpoint('agents.ticket.after-call');
  await untilWritten(deps, () => keepOutcome(deps, ticket, executed), signal);
}

/** The answers to what the server asked; `undefined` for a call that begins. */
function continuationOf({ inputForms, inputs, requestState }: TicketRow): Continuation | undefined {
  return inputForms ? { inputResponses: responsesTo(inputForms, inputs ?? {}), requestState } : undefined;
}

async function keepOutcome(deps: Deps, ticket: TicketRow, executed: Executed): Promise<void> {
  const { outcome, text, detail, logId, retryAfterMs, question } = executed;
  if (outcome === 'asks') {
    const refusal = question ? await askForInput(deps, ticket, question) : 'the server asks for nothing';
    if (refusal === undefined) return;
    return await end(deps, ticket, { status: 'failed', detail: refusal, result: null, logId });
  }
  if (outcome === 'postponed') return await postpone(deps, ticket, { detail, retryAfterMs });
  const status = outcome === 'succeeded' ? 'executed' : outcome;
  const result = status === 'uncertain' ? null : text;
  await end(deps, ticket, { status, detail, result, logId });
}

/** The call had no effect, so it is retried for some minutes. */
async function postpone(
  deps: Deps,
  ticket: TicketRow,
  {
    cause,
    detail = null,
    retryAfterMs,
  }: { cause?: unknown; detail?: string | null; retryAfterMs?: number | undefined },
): Promise<void> {
  deps.log.warn({ err: cause, ticketId: ticket.ticketId, tries: ticket.tries }, 'a tool call is postponed');
  if (ticket.tries + 1 >= maxTries) {
    const last = detail ?? 'the service could not be reached';
    return await end(deps, ticket, { status: 'failed', detail: last, result: null });
  }
  const pauseMs = Math.min(firstPauseMs * 2 ** ticket.tries, longestPauseMs) * (0.5 + Math.random());
  const waitMs = Math.max(pauseMs, Math.min(retryAfterMs ?? 0, longestPauseMs));
  await withTenant(deps.database, [ticket.tenantId], (tx) => postponeTicket(tx, ticket, waitMs));
  deps.wakeTickets(waitMs);
}

async function end(deps: Deps, ticket: TicketRow, how: TicketEnd): Promise<void> {
  const { ticketId } = ticket;
  const isEnded = await endTicket(deps, ticket, how);
  if (!isEnded) deps.log.warn({ ticketId }, 'another worker has the ticket');
  else deps.log.info({ ticketId, status: how.status, audit: 'external tool' }, 'a ticket has ended');
}
