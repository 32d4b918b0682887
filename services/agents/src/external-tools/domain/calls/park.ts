import { findKeyIn } from '@botyard/contracts/events/keys';
import { findCredentialIn } from '@botyard/contracts/events/tenancy';
import {
  maxTicketsOfChat,
  maxTicketsOfTenant,
  ticketHours,
} from '@botyard/contracts/http/integrations-tickets';
import { ask } from '@botyard/shared/bus/requests';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import type { ServerQuestion } from '../../../mcp/clients/server-call.ts';
import type { Deps } from '../../deps.ts';
import type { ExecutionRow } from '../../store/executions.ts';
import { countOpenTickets, type NewTicket } from '../../store/tickets.ts';
import type { Requester } from '../access.ts';
import type { ExternalCall } from './call.ts';
import { readForms } from './input-forms.ts';
import { maxShownBytes, visibleArguments } from './visible-arguments.ts';

/** A call that waits for a person. */
interface Parked {
  outcome: 'waiting';
  text: string;
  ticket: NewTicket;
}

interface ParkedCall {
  people: readonly Requester[];
  connectionId: string | null;
  pin: string | null;
}

const tooMany = 'too many calls are already waiting for an approval';

/** The time until which a person may decide. */
export const ticketEnd = (): Date => new Date(Date.now() + ticketHours * 3_600_000);

/** Creates a ticket. It is stored in one transaction with the answer that mentions it. */
export async function park(
  tx: TenantTx,
  call: ExternalCall,
  parked: ParkedCall,
): Promise<Parked | { outcome: 'refused'; text: string }> {
  if (!(await hasRoom(tx, call))) return { outcome: 'refused', text: tooMany };
  return { outcome: 'waiting', text: 'it waits for an approval', ticket: ticketOf(call, parked) };
}

/**
 * Creates a ticket for a call that needed no approval, because its server has a question. The record of the call
 * becomes the ticket's in the transaction that stores the ticket.
 */
export async function parkQuestion(
  { database }: Pick<Deps, 'database'>,
  call: ExternalCall,
  {
    question,
    execution,
    people,
  }: { question: ServerQuestion; execution: ExecutionRow; people: readonly Requester[] },
): Promise<Parked | { refusal: string }> {
  const read = readForms(question.inputRequests);
  if ('refusal' in read) return read;
  const isFree = await withTenant(database, [call.scene.tenantId], (tx) => hasRoom(tx, call));
  if (!isFree) return { refusal: tooMany };
  const { connectionId, pin, callKey: begunCallKey } = execution;
  const questionColumns = {
    inputRound: 1,
    inputForms: read.forms,
    requestState: question.requestState,
    begunCallKey,
  };
  const ticket = { ...ticketOf(call, { people, connectionId, pin }), ...questionColumns };
  return { outcome: 'waiting', text: 'it waits for input of a person', ticket };
}

async function hasRoom(tx: TenantTx, { scene }: ExternalCall): Promise<boolean> {
  const { ofTenant, ofChat } = await countOpenTickets(tx, scene);
  return ofTenant < maxTicketsOfTenant && ofChat < maxTicketsOfChat;
}

function ticketOf(
  { scene, tool, ...exact }: ExternalCall,
  { people, connectionId, pin }: ParkedCall,
): NewTicket {
  const { tenantId, conversationId, botId, agentId, requesters } = scene;
  return {
    tenantId,
    conversationId,
    botId,
    agentId,
    connectionId,
    pin,
    ...exact,
    ticketId: uuidv7(),
    toolId: tool.toolId,
    toolName: tool.name,
    toolkit: tool.settings.toolkit,
    tool: tool.settings.tool,
    requesters: [...requesters],
    requesterIds: people.flatMap(({ userIds }) => userIds),
    expiresAt: ticketEnd(),
  };
}

/**
 * Why a call can't wait for an approval: its arguments are too long to be shown whole, or hold a credential that
 * Botyard stores, which whoever approves it must not see. @throws HttpError 503 while the services that store
 * credentials don't answer.
 */
export async function reasonToRefuseTicket(
  { bus }: Pick<Deps, 'bus'>,
  { tenantId, arguments: canonical }: Pick<NewTicket, 'tenantId' | 'arguments'>,
): Promise<string | undefined> {
  if (Buffer.byteLength(visibleArguments(canonical)) > maxShownBytes)
    return 'its arguments are too long to be shown to the person who would approve it';
  const text = textsIn(canonical);
  const answers = await Promise.all([
    ask(bus, findKeyIn, { tenantId, text }),
    ask(bus, findCredentialIn, { tenantId, text }),
  ]);
  return answers.some(({ isFound }) => isFound) ? 'its arguments hold a stored credential' : undefined;
}

/** All names and texts of the arguments, as they are without JSON's escapes. */
function textsIn(canonical: string): string {
  const texts: string[] = [];
  JSON.parse(canonical, (name, value: unknown) => {
    texts.push(name);
    if (typeof value === 'string') texts.push(value);
    return value;
  });
  return texts.join('\n');
}
