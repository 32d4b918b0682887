import type { Schema } from '@botyard/client/client';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api } from '../api/api.ts';
import { postAction, useAction } from '../api/use-action.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useBots } from '../api/use-bots.ts';
import { Form, Panel, State, SubmitRow } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { SaveFile } from '../parts/save-file.tsx';
import { Fault, Loaded } from '../parts/states.tsx';
import { Time } from '../parts/text.tsx';
import { TextLink } from '../parts/text-link.tsx';
import { Decide, isUnproven, Sender, WhyHeld } from './held-mails.tsx';
import { InboxSections } from './inbox/inbox-sections.tsx';
import { type GrantKind, grantKinds, grantsPath, meaningOf } from './sender-grants.ts';

type Mail = Schema<'EmailDetail'>;

/** One held email, limited to content that is safe to show, with the decisions about the email and its sender. */
export function HeldMail() {
  const { mailId = '' } = useParams({ strict: false });
  const bots = useBots();
  const mail = useAnswer('/api/email-threads/mails/{mailId}', { path: { mailId } });
  return (
    <Page title="Held email" answers={[mail]}>
      <InboxSections />
      <Loaded answer={mail}>
        {(found) => (
          <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
            <Content mail={found} botName={bots.nameOf(found.botId)} />
            <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
              {found.state === 'held' ? (
                <Panel title="This email">
                  <p className="mb-3 text-soft">Your decision applies to this email only.</p>
                  <Decide mail={found} />
                </Panel>
              ) : (
                <Decided mail={found} />
              )}
              <LetIn mail={found} botName={bots.nameOf(found.botId)} />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Content({ mail, botName }: { mail: Mail; botName: string }) {
  const { mailId, subject, text, originalText, hasHtml, attachments } = mail;
  return (
    <Panel title={subject || '(no subject)'}>
      <dl className="mb-4 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2 text-sm">
        <Line name="From">
          <Sender mail={mail} />
        </Line>
        <Line name="To">
          {botName} <span className="break-all text-soft">{mail.recipient}</span>
        </Line>
        <Line name="Received">
          <Time at={mail.createdAt} />
        </Line>
        {mail.state === 'held' && (
          <Line name="Held">
            <WhyHeld mail={mail} />
          </Line>
        )}
      </dl>
      <p dir="auto" className="overflow-x-clip [overflow-wrap:anywhere] whitespace-pre-wrap">
        {text}
      </p>
      {hasHtml && (
        <p className="mt-3 text-sm text-soft">This email also has an HTML part, which is not shown.</p>
      )}
      {originalText !== null && originalText !== text && (
        <details className="mt-3 text-sm">
          <summary>Full original text</summary>
          <p dir="auto" className="mt-2 [overflow-wrap:anywhere] whitespace-pre-wrap">
            {originalText}
          </p>
        </details>
      )}
      {attachments.map((file) => (
        <div key={`${mailId} ${file.attachmentId}`} className="mt-3 grid justify-items-start gap-1 text-sm">
          <p className="break-all">
            {file.name} <span className="text-soft">{file.mediaType}</span>
          </p>
          {file.missingReason === null ? (
            <SaveFile name={file.name} read={() => readFile(file.attachmentId)}>
              Download
            </SaveFile>
          ) : (
            <p className="text-soft">
              {file.missingReason === 'expired'
                ? 'The file has expired.'
                : 'The file was not stored because storage was full.'}
            </p>
          )}
        </div>
      ))}
    </Panel>
  );
}

const readFile = async (attachmentId: string): Promise<Blob> =>
  (await api.get('/api/email-threads/attachments/{attachmentId}', {
    params: { path: { attachmentId } },
    parseAs: 'blob',
  })) as unknown as Blob;

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 overflow-x-clip [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}

function Decided({ mail: { state, reason } }: { mail: Mail }) {
  return (
    <Panel title="This email">
      <p>
        <State word={state} /> This email is no longer held. {reason}
      </p>
      <TextLink to="/inbox/held-mails">Back to held emails</TextLink>
    </Panel>
  );
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

/** Allows the sender from now on. A confirmation states what the permission covers. */
function LetIn({ mail, botName }: { mail: Mail; botName: string }) {
  const { botId, sender, threadId, subject } = mail;
  const [kind, choose] = useState<GrantKind>('sender');
  const grant = useAction<Schema<'CreatedSenderGrant'>>();
  const values = { sender, thread: threadId, group: domainOf(sender) };
  const valueByKind = { sender, thread: `“${subject}”`, group: domainOf(sender) };
  const meaning = meaningOf(kind, valueByKind[kind], botName);
  const send = () =>
    window.confirm(`${meaning} Their held emails are answered immediately. Continue?`) &&
    grant.mutate(postAction('Sender allowed', grantsPath, { body: { botId, kind, value: values[kind] } }));
  return (
    <Panel title="Allow the sender">
      {grant.error && <Fault error={grant.error} />}
      {grant.data && (
        <p role="status" className="mb-3">
          Allowed. {grant.data.releasedCount} held{' '}
          {grant.data.releasedCount === 1 ? 'email is' : 'emails are'} being answered.
        </p>
      )}
      <Form onSend={send}>
        <fieldset className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2">
          <legend className="mb-1 text-sm font-medium">Permission</legend>
          {grantKinds.map((one) => (
            <label key={one} className="flex items-start gap-2 text-sm">
              <input
                type="radio"
                name="kind"
                value={one}
                checked={kind === one}
                onChange={() => choose(one)}
                className="mt-1"
              />
              <span className="min-w-0 overflow-x-clip [overflow-wrap:anywhere]">
                {meaningOf(one, valueByKind[one], botName)}
              </span>
            </label>
          ))}
        </fieldset>
        {isUnproven(mail) && (
          <p className="text-sm text-warn">
            This email may be forged, so none of these permissions releases it. Use “Answer” instead.
          </p>
        )}
        <SubmitRow button="Allow" disabled={grant.isPending} />
      </Form>
    </Panel>
  );
}
