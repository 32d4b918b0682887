import type { Schema } from '@botyard/client/client';
import { useSearch } from '@tanstack/react-router';
import { postAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { useBots } from '../api/use-bots.ts';
import { ActButton } from '../parts/act-button.tsx';
import { State } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { SearchChoice, SearchForm } from '../parts/search-form.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { TextLink } from '../parts/text-link.tsx';
import { InboxSections } from './inbox/inbox-sections.tsx';

type Mail = Schema<'Email'>;

const path = '/api/email-threads/held-mails';

/** Emails that wait for the decision of an admin. */
export function HeldMails() {
  const { bot, q } = useSearch({ strict: false });
  const bots = useBots();
  const mails = useList(path, { query: { botId: bot, address: q }, everyMs: 5000 });
  return (
    <Page
      title="Held emails"
      about="Emails that wait for your decision because their sender is not allowed or because they may be forged. They are kept for 30 days."
      answers={[mails]}
    >
      <InboxSections />
      <div className="grid max-w-2xl items-start gap-4 md:grid-cols-2">
        <SearchForm label="Sender" hint="The full address" />
        <SearchChoice label="Bot" name="bot" options={[['', 'All'], ...bots.options]} />
      </div>
      <Table
        label="Held emails"
        list={mails}
        keyOf={({ mailId }) => mailId}
        empty={
          q || bot ? (
            <Empty title="No matching emails.">Change the sender or the bot.</Empty>
          ) : (
            <Empty title="No held emails.">
              Emails appear here when their sender is not allowed or when they may be forged.
            </Empty>
          )
        }
        columns={[
          { title: 'From', of: (mail) => <Sender mail={mail} /> },
          { title: 'Email', of: (mail) => <Gist mail={mail} /> },
          { title: 'To', of: ({ botId }) => bots.nameOf(botId) },
          { title: 'Reason', of: (mail) => <WhyHeld mail={mail} /> },
          { title: 'Received', of: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Actions', of: (mail) => <Decide mail={mail} /> },
        ]}
      />
    </Page>
  );
}

export function Sender({ mail: { sender, senderName } }: { mail: Pick<Mail, 'sender' | 'senderName'> }) {
  return (
    <span className="grid min-w-36">
      {senderName && <span className="font-medium">{senderName}</span>}
      <span className="break-all">{sender}</span>
    </span>
  );
}

function Gist({ mail: { mailId, subject, text, attachments } }: { mail: Mail }) {
  return (
    <div className="grid min-w-40 gap-1">
      <TextLink to="/inbox/held-mails/$mailId" params={{ mailId }} className="font-medium break-words">
        {subject || '(no subject)'}
      </TextLink>
      <span className="line-clamp-2 break-words text-soft">{text}</span>
      {attachments.length > 0 && (
        <span className="text-soft">
          {attachments.length === 1 ? '1 file' : `${attachments.length} files`}
        </span>
      )}
    </div>
  );
}

/** True if the sender may be forged. A permission for the sender doesn't release such an email. */
export const isUnproven = ({ senderProof }: Pick<Mail, 'senderProof'>): boolean => senderProof === 'failed';

export function WhyHeld({ mail }: { mail: Pick<Mail, 'reason' | 'senderProof'> }) {
  return (
    <div className="grid min-w-40 justify-items-start gap-1">
      <State word={isUnproven(mail) ? 'unverified' : 'not allowed'} />
      <span className="break-words text-soft first-letter:uppercase">
        {mail.reason ?? 'This sender is not allowed to write to the bot.'}
      </span>
    </div>
  );
}

/** The two decisions about a single email. */
export function Decide({ mail: { mailId } }: { mail: Pick<Mail, 'mailId'> }) {
  const parts = { names: { mailId } };
  return (
    <div className="flex flex-wrap gap-2">
      <ActButton
        ask="Answer this email only? Its sender is not added to the allowed senders."
        action={postAction('Email released', `${path}/{mailId}/admit`, parts)}
      >
        Answer
      </ActButton>
      <ActButton
        look="bad"
        ask="Reject this email permanently? It is never answered, and its sender is not notified."
        action={postAction('Email rejected', `${path}/{mailId}/refuse`, parts)}
      >
        Reject
      </ActButton>
    </div>
  );
}
