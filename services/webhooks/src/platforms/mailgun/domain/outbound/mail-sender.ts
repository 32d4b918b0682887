import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import { inTraceOf } from '@botyard/shared/tracing/spans';
import { throughOutages } from '../../../../delivery/domain/sending/chat-lease.ts';
import { createSendLoop, type SendLoop } from '../../../../delivery/domain/sending/send-loop.ts';
import { maxOpenSends } from '../../../../delivery/domain/sending/send-part.ts';
import type { Sending } from '../../../../delivery/domain/sending/sender.ts';
import type { Deps } from '../../../../deps.ts';
import type { MailAccount, MailResult, OutgoingMail } from '../../clients/mailer.ts';
import { insertBouncedAddress, listBounced } from '../../store/bounces.ts';
import {
  beginMail,
  type ClaimedMail,
  claimMails,
  claimMailsOfLone,
  lockMail,
  type MailOutcome,
  openSendsOf,
  type WaitingMail,
} from '../../store/mail-sending.ts';
import { lockMailThreads, type MailThread } from '../../store/outgoing.ts';
import type { Mailbox } from '../mailboxes.ts';
import { accountOf } from './account.ts';
import { buildMail } from './build-mail.ts';
import { takePlaceOfDay } from './day-caps.ts';
import { keptForMs, maxAgeMs, outcomeOf } from './retries.ts';
import { settleOutgoingMail } from './settle-mail.ts';

const maxConcurrentMails = 32;
/** What can't be decided now is looked at again so much later. */
const undecidedWaitMs = 1000;
/** A call to the mailer begins at most so long after it was seen that nobody has taken the mail over. */
const freshMs = 1500;

type SenderDeps = Pick<
  Deps,
  'database' | 'log' | 'stalls' | 'outbox' | 'mailer' | 'mailerAccount' | 'mailboxes' | 'wakeMailSender'
> & { sending: Sending };

/**
 * Sends what is queued, one mail after another in each thread and many threads at once. Every write is fenced: a worker
 * that lost its mail while it slept begins nothing (reliability, rule 4).
 */
export function createMailSender(deps: SenderDeps): SendLoop<ClaimedMail> {
  return createSendLoop<ClaimedMail>(deps, deps.sending, {
    name: 'mail sender',
    slots: maxConcurrentMails,
    keyOf: ({ mailId }) => mailId,
    claim: claimMails,
    claimOfLone: claimMailsOfLone,
    run: (mail) => sendMail(deps, mail),
  });
}

interface Begun {
  account: MailAccount;
  isInstallations: boolean;
  message: OutgoingMail;
  waiting: WaitingMail;
  /** Sends before this one that may have arrived. */
  openSends: number;
}

/** The send that this worker has begun last, or has tried to begin, and has not made. */
interface OwnSend {
  begun: number | undefined;
}

type Prepared = Omit<Begun, 'waiting' | 'openSends'> | MailOutcome;
type Step = { begun: Begun } | { outcome: MailOutcome };

/** Sends one mail, and tells for how long it waits when it has to. */
async function sendMail(deps: SenderDeps, mail: ClaimedMail): Promise<number | undefined> {
  const mailbox = await findMailbox(deps, mail);
  const own: OwnSend = { begun: undefined };
  let waiting: WaitingMail | undefined;
  try {
    for (;;) {
      const renewedAt = performance.now();
      const step = await begin(deps, mail, { mailbox, own });
      if (!step) return lost(deps, mail, false);
      if ('outcome' in step) return step.outcome.waitMs;
      waiting = step.begun.waiting;
      await failpoint('webhooks.mail-sender.before-send');
      // Nothing was sent, so a lease that grew old meanwhile is renewed before something is.
      if (performance.now() - renewedAt > freshMs) continue;
      waiting = undefined;
      return await sendBegun(deps, mail, step.begun);
    }
  } finally {
    // What was begun and not sent must not count as a send of which nobody knows what came of it.
    if (waiting) await saveAlone(deps, mail, { waiting, outcome: { state: 'queued' } });
  }
}

async function sendBegun(deps: SenderDeps, mail: ClaimedMail, begun: Begun): Promise<number | undefined> {
  const { waiting, openSends } = begun;
  const result = await asSpan(mail, waiting, () => send(deps, begun));
  await failpoint('webhooks.mail-sender.after-send');
  const outcome = outcomeOf(result, { attempts: waiting.attempts + 1, openSends });
  if (result.outcome === 'closed') deps.log.error({ botId: mail.botId, reason: result.reason }, kept);
  const isSettled = await settle(deps, mail, { waiting, result, outcome });
  return isSettled ? outcome.waitMs : lost(deps, mail, true);
}

/** After two sends that may have arrived there is no third. */
async function send(
  { mailer, sending }: SenderDeps,
  { account, message, openSends }: Begun,
): Promise<MailResult> {
  if (openSends >= maxOpenSends)
    return { outcome: 'failed', reason: 'the mailer has never confirmed it', unclear: true };
  return await mailer.send(account, message, sending.closing.signal);
}

interface SentMail {
  waiting: WaitingMail;
  result: MailResult;
  outcome: MailOutcome;
}

/**
 * Settles a send with what follows from it; when that is held up, what is known of it is written by itself, however long it
 * takes. `false` when it is left to the next process, or was outdated.
 */
async function settle(
  deps: SenderDeps,
  mail: ClaimedMail,
  { waiting, result, outcome }: SentMail,
): Promise<boolean> {
  const { outcomes } = deps.sending;
  if (!outcomes.isHampered) {
    try {
      const settled = await inThreadOnce(deps, mail, async (tx) => {
        const done = await settleOutgoingMail(deps, tx, { mail, outcome, send: waiting.sends + 1 });
        if (done) await noteRefusedAddress(tx, { mail, waiting, result });
        return done;
      });
      return settled !== undefined;
    } catch (error) {
      deps.log.warn({ err: error, mailId: mail.mailId }, 'a mail is settled by itself');
      outcomes.noteHampered();
    }
  }
  return await saveAlone(deps, mail, { waiting, outcome });
}

function saveAlone(
  { sending }: SenderDeps,
  { tenantId, mailId: id }: ClaimedMail,
  { waiting, outcome }: Pick<SentMail, 'waiting' | 'outcome'>,
): Promise<boolean> {
  const { reason: lastError, ...known } = outcome;
  const send = waiting.sends + 1;
  return sending.outcomes.save({ kind: 'mail', tenantId, id, send, outcome: { ...known, lastError } });
}

/** The mailer's client throws nothing: what became of the call is an attribute. */
function asSpan(
  { tenantId }: ClaimedMail,
  { traceparent, attempts }: WaitingMail,
  send: () => Promise<MailResult>,
): Promise<MailResult> {
  const attributes = { 'botyard.attempt': attempts + 1 };
  const start = { name: 'send mail', kind: 'client', attributes } as const;
  return inTraceOf({ tenantId, traceparent }, start, async (span) => {
    const result = await send();
    span.set({ 'botyard.outcome': result.outcome });
    return result;
  });
}

const kept = 'a mail is kept: it could not be sent';

function lost({ log }: SenderDeps, { botId, mailId }: ClaimedMail, hadSent: boolean): undefined {
  log.warn({ botId, mailId, hadSent }, 'a mail was taken over by another worker');
  return undefined;
}

/** `null` when there is none; `undefined` when nobody can tell now. */
async function findMailbox(
  { mailboxes, log }: SenderDeps,
  { botId }: ClaimedMail,
): Promise<Mailbox | null | undefined> {
  try {
    return await mailboxes.ofBot(botId);
  } catch (error) {
    log.warn({ err: error, botId }, 'the mailbox of a mail could not be read');
    return undefined;
  }
}

const inThreadOnce = <Result>(
  { database }: SenderDeps,
  { tenantId, threadId }: ClaimedMail,
  work: (tx: TenantTx, thread: MailThread | undefined) => Promise<Result>,
): Promise<Result> =>
  withTenant(database, [tenantId], async (tx) =>
    work(tx, (await lockMailThreads(tx, tenantId, [threadId])).get(threadId)),
  );

const inThread: typeof inThreadOnce = (deps, mail, work) =>
  throughOutages(() => inThreadOnce(deps, mail, work), deps.sending.outcomes.givingUp);

/** Notes that the send begins; or settles at once what can't be sent. `undefined` when the mail was lost. */
async function begin(
  deps: SenderDeps,
  mail: ClaimedMail,
  { mailbox, own }: { mailbox: Mailbox | null | undefined; own: OwnSend },
): Promise<Step | undefined> {
  return await inThread(deps, mail, async (tx, thread) => {
    const waiting = await lockMail(tx, mail);
    if (!waiting) return undefined;
    const bounced = await listBounced(tx, mail.tenantId, [waiting.recipient]);
    const found = { mailbox, thread, waiting, bounced: bounced.get(waiting.recipient) };
    const prepared = await withinDay(deps, tx, { mail, waiting, prepared: prepare(deps, found) });
    if ('state' in prepared) {
      if (prepared.waitMs === keptForMs) deps.log.error({ botId: mail.botId, reason: prepared.reason }, kept);
      return (await settleOutgoingMail(deps, tx, { mail, outcome: prepared })) && { outcome: prepared };
    }
    if (deps.sending.closing.isClosing) {
      const outcome: MailOutcome = { state: 'queued', waitMs: 0 };
      return (await settleOutgoingMail(deps, tx, { mail, outcome })) && { outcome };
    }
    const { isInstallations: isCounted } = prepared;
    // Its own send it has not made, also when it heard nothing of the commit that began it.
    const wasSent = waiting.wasBegun && waiting.sends !== own.begun;
    own.begun = waiting.sends + 1;
    await beginMail(tx, mail, { waiting, wasSent, isCounted });
    return { begun: { ...prepared, waiting, openSends: openSendsOf(waiting, { wasSent }) } };
  });
}

/** What the installation's account sends has to have a place in the day; each mail takes one once, however often it is tried. */
async function withinDay(
  deps: SenderDeps,
  tx: TenantTx,
  { mail, waiting, prepared }: { mail: ClaimedMail; waiting: WaitingMail; prepared: Prepared },
): Promise<Prepared> {
  if ('state' in prepared || !prepared.isInstallations || waiting.isCounted) return prepared;
  return (await takePlaceOfDay(deps, tx, mail)) ?? prepared;
}

interface Preparation {
  mailbox: Mailbox | null | undefined;
  thread: MailThread | undefined;
  waiting: WaitingMail;
  bounced: string | undefined;
}

/** What is to be sent in which account, or what becomes of the mail without a send. */
function prepare(deps: SenderDeps, { mailbox, thread, waiting, bounced }: Preparation): Prepared {
  const failed = (reason: string): MailOutcome => ({ state: 'failed', reason });
  if (waiting.ageMs > maxAgeMs) return failed('it could not be sent for 3 days');
  if (mailbox === undefined)
    return { state: 'queued', reason: 'the integration could not be read', waitMs: undecidedWaitMs };
  if (!thread || !mailbox || mailbox.integrationId !== thread.integrationId)
    return failed('the integration was deleted');
  if (bounced !== undefined) return failed(`the address takes no mail: ${bounced}`);
  const found = accountOf(deps, mailbox);
  if ('reason' in found) return { state: 'queued', reason: found.reason, waitMs: keptForMs };
  const message = buildMail(mailbox, thread, waiting);
  return 'refusal' in message ? failed(message.refusal) : { ...found, message };
}

/** An address that the mailer refuses takes no mail, as one that bounced. */
async function noteRefusedAddress(
  tx: TenantTx,
  { mail, waiting, result }: { mail: ClaimedMail; waiting: WaitingMail; result: MailResult },
): Promise<void> {
  if (result.outcome !== 'refused' || !result.isOfAddress) return;
  const { tenantId, mailId } = mail;
  await insertBouncedAddress(tx, { tenantId, mailId, address: waiting.recipient, reason: result.reason });
}
