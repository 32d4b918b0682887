import { HttpError } from '@botyard/shared/http/errors';
import type { Deps } from '../../../deps.ts';
import type { Mailbox } from '../../mailboxes.ts';
import { type MailForm, tripleOf } from '../mail-form.ts';
import { addressesIn, withoutPlus } from '../read/addresses.ts';
import { headersOf, readHeaders } from '../read/headers.ts';
import { faultOfTriple } from './verify-triple.ts';

export interface Receiver {
  mailbox: Mailbox;
  /** The token of the verified signature. `null` if the mailbox has no key, so that nothing was verified. */
  token: string | null;
}

/** An error with status 406, after which the mailer stops retrying. It retries after any other status. */
export class Refused extends HttpError {
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(406, message);
    this.reason = reason;
  }
}

export const unknownRecipient = () => new Refused('unknown recipient', 'nobody receives this mail here');
const maxCandidates = 10;
const headersOfRecipients = ['Delivered-To', 'X-Original-To', 'X-Forwarded-To', 'Envelope-To', 'To', 'Cc'];

/**
 * Finds the mailbox that a delivery is for, by a signature that the mailbox's own key verifies.
 *
 * If the address names no bot, the mailboxes of the envelope's recipients are tried in turn, and if there are none,
 * those of the recipients in the headers. A mailbox without a key receives a mail only if no candidate has a key.
 * @throws Refused, and HttpError 503.
 */
export async function findReceiver(
  deps: Pick<Deps, 'mailboxes'>,
  botId: string | null,
  form: MailForm,
): Promise<Receiver> {
  const candidates = botId === null ? await findCandidates(deps, form) : await ofBot(deps, botId);
  const triple = tripleOf(form);
  const faults: string[] = [];
  const verified: Receiver[] = [];
  for (const mailbox of candidates.filter(({ signingKey }) => signingKey !== null)) {
    const fault = faultOfTriple(triple, mailbox.signingKey!);
    if (fault === undefined) verified.push({ mailbox, token: triple!.token });
    else faults.push(fault);
  }
  if (verified.length > 0) return firstEnabled(verified);
  if (faults.length > 0) throw new Refused(faults[0]!, 'the signature is not valid');
  if (candidates.length === 0) throw unknownRecipient();
  return firstEnabled(candidates.map((mailbox) => ({ mailbox, token: null })));
}

function firstEnabled(receivers: readonly Receiver[]): Receiver {
  const enabledReceiver = receivers.find(({ mailbox }) => mailbox.isEnabled);
  if (!enabledReceiver) throw new Refused('integration disabled', 'nobody receives this mail here');
  return enabledReceiver;
}

async function ofBot({ mailboxes }: Pick<Deps, 'mailboxes'>, botId: string): Promise<Mailbox[]> {
  const mailbox = await mailboxes.ofBot(botId);
  return mailbox ? [mailbox] : [];
}

async function findCandidates(deps: Pick<Deps, 'mailboxes'>, form: MailForm): Promise<Mailbox[]> {
  const ofEnvelope = await listMailboxes(deps, addressesIn(form.all('recipient')));
  if (ofEnvelope.length > 0) return ofEnvelope;
  const headers = readHeaders(form);
  const named = addressesIn(headersOfRecipients.flatMap((name) => headersOf(headers, name)));
  return await listMailboxes(deps, named);
}

async function listMailboxes(
  { mailboxes }: Pick<Deps, 'mailboxes'>,
  addresses: readonly string[],
): Promise<Mailbox[]> {
  const candidates = [...new Set(addresses.map(withoutPlus))].slice(0, maxCandidates);
  const lookups = await Promise.all(candidates.map((address) => mailboxes.ofAddress(address)));
  return lookups.filter((mailbox) => mailbox !== null);
}
