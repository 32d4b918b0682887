import { type TenantTx, withPlatformRelaxed, withTenant } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import { inTraceOf } from '@botyard/shared/tracing/spans';
import { ClaimLoop } from '@botyard/shared/work/claim-loop';
import { FairShares } from '@botyard/shared/work/fair-shares';
import type { MailAccount, MailResult, OutgoingMail } from '../../../clients/mailer.ts';
import type { Deps } from '../../../deps.ts';
import { insertBouncedAddress, listBounced } from '../../../store/email/bounces.ts';
import {
  beginMail,
  type ClaimedMail,
  claimMails,
  claimMailsOfLone,
  lockMail,
  type MailOutcome,
  type WaitingMail,
} from '../../../store/email/mail-sending.ts';
import { lockMailThreads, type MailThread } from '../../../store/email/outgoing.ts';
import type { Mailbox } from '../../endpoints/mailboxes.ts';
import { throughOutages } from '../../sending/hold.ts';
import { buildMail } from './build-mail.ts';
import { domainOf } from './header-text.ts';
import { keptForMs, mostAgeMs, outcomeOf } from './retries.ts';
import { settleOutgoingMail } from './settle-mail.ts';

const maxConcurrentMails = 32;
const pollEveryMs = 1000;
/** The lease (8 s) minus the longest call (6 s) and some slack: a call that begins later may outlast the lease. */
const freshMs = 1500;

type SenderDeps = Pick<
  Deps,
  'database' | 'log' | 'outbox' | 'mailer' | 'mailerAccount' | 'mailboxes' | 'wakeMailSender'
>;

/**
 * Sends what is queued, one mail after another in each thread and many threads at once. Every write is fenced: a worker
 * that lost its mail while it slept writes nothing (reliability, rule 4).
 */
export function createMailSender(deps: SenderDeps): ClaimLoop<ClaimedMail> {
  const { database, log } = deps;
  const shares = new FairShares<ClaimedMail>({
    slots: maxConcurrentMails,
    claim: (allotment) => withPlatformRelaxed(database, 'claim mails', (tx) => claimMails(tx, allotment)),
    claimOfLone: (limit) => withPlatformRelaxed(database, 'claim mails', (tx) => claimMailsOfLone(tx, limit)),
    log,
  });
  const loop = new ClaimLoop<ClaimedMail>({
    name: 'mail sender',
    maxConcurrent: shares.mostAtOnce,
    pollEveryMs,
    claim: (limit) => shares.claim(limit),
    mayHaveLeft: () => shares.hasHeldBack,
    run: async (mail) => {
      const waitMs = await sendMail(deps, mail).finally(() => shares.end(mail));
      if (waitMs !== undefined) loop.wakeIn(waitMs);
    },
    log,
  });
  return loop;
}

interface Begun {
  account: MailAccount;
  message: OutgoingMail;
  waiting: WaitingMail;
}

type Step = { begun: Begun } | { outcome: MailOutcome };

/** Sends one mail, and tells for how long it waits when it has to. */
async function sendMail(deps: SenderDeps, mail: ClaimedMail): Promise<number | undefined> {
  const mailbox = await findMailbox(deps, mail);
  for (let wasSent: boolean | undefined; ; wasSent = false) {
    const renewedAt = performance.now();
    const step = await begin(deps, mail, { mailbox, wasSent });
    if (!step) return lost(deps, mail, false);
    if ('outcome' in step) return step.outcome.waitMs;
    await failpoint('webhooks.mail-sender.before-send');
    // Nothing was sent, so a lease that grew old meanwhile is renewed before something is.
    if (performance.now() - renewedAt > freshMs) continue;
    const { account, message, waiting } = step.begun;
    const result = await asSpan(mail, waiting, () => deps.mailer.send(account, message));
    await failpoint('webhooks.mail-sender.after-send');
    const outcome = outcomeOf(result, waiting.attempts + 1);
    if (result.outcome === 'closed') deps.log.error({ botId: mail.botId, reason: result.reason }, kept);
    const settled = await inThread(deps, mail, async (tx) => {
      const done = await settleOutgoingMail(deps, tx, { mail, outcome });
      if (done) await noteRefusedAddress(tx, { mail, waiting, result });
      return done;
    });
    return settled ? outcome.waitMs : lost(deps, mail, true);
  }
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

const inThread = <Result>(
  { database }: SenderDeps,
  { tenantId, threadId }: ClaimedMail,
  work: (tx: TenantTx, thread: MailThread | undefined) => Promise<Result>,
): Promise<Result> =>
  throughOutages(() =>
    withTenant(database, [tenantId], async (tx) =>
      work(tx, (await lockMailThreads(tx, tenantId, [threadId])).get(threadId)),
    ),
  );

/** Notes that the send begins; or settles at once what can't be sent. `undefined` when the mail was lost. */
async function begin(
  deps: SenderDeps,
  mail: ClaimedMail,
  { mailbox, wasSent }: { mailbox: Mailbox | null | undefined; wasSent: boolean | undefined },
): Promise<Step | undefined> {
  return await inThread(deps, mail, async (tx, thread) => {
    const waiting = await lockMail(tx, mail);
    if (!waiting) return undefined;
    const bounced = await listBounced(tx, mail.tenantId, [waiting.recipient]);
    const prepared = prepare(deps, { mailbox, thread, waiting, bounced: bounced.get(waiting.recipient) });
    if ('state' in prepared) {
      if (prepared.waitMs === keptForMs) deps.log.error({ botId: mail.botId, reason: prepared.reason }, kept);
      return (await settleOutgoingMail(deps, tx, { mail, outcome: prepared })) && { outcome: prepared };
    }
    await beginMail(tx, mail, { isUncertain: wasSent ?? waiting.wasBegun });
    return { begun: { ...prepared, waiting } };
  });
}

interface Preparation {
  mailbox: Mailbox | null | undefined;
  thread: MailThread | undefined;
  waiting: WaitingMail;
  bounced: string | undefined;
}

/** What is to be sent in which account, or what becomes of the mail without a send. */
function prepare(
  deps: SenderDeps,
  { mailbox, thread, waiting, bounced }: Preparation,
): Omit<Begun, 'waiting'> | MailOutcome {
  const failed = (reason: string): MailOutcome => ({ state: 'failed', reason });
  if (waiting.ageMs > mostAgeMs) return failed('it could not be sent for 3 days');
  if (mailbox === undefined)
    return { state: 'queued', reason: 'the integration could not be read', waitMs: pollEveryMs };
  if (!thread || !mailbox || mailbox.integrationId !== thread.integrationId)
    return failed('the integration was deleted');
  if (bounced !== undefined) return failed(`the address takes no mail: ${bounced}`);
  const account = accountOf(deps, mailbox);
  if (!account) return { state: 'queued', reason: 'MAILER_API_KEY is not set', waitMs: keptForMs };
  const message = buildMail(mailbox, thread, waiting);
  return 'refusal' in message ? failed(message.refusal) : { account, message };
}

/** A tenant's own account sends from the tenant's own domain; ours from the one that was set for it, if one was. */
function accountOf({ mailerAccount }: SenderDeps, { apiKey, address }: Mailbox): MailAccount | undefined {
  if (apiKey) return { apiKey, domain: domainOf(address) };
  const { apiKey: ours, domain } = mailerAccount;
  return ours && { apiKey: ours, domain: domain ?? domainOf(address) };
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
