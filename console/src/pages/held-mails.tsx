import type { Schema } from '@botyard/client/client';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useList } from '../api/use-answer.ts';
import { useBots } from '../api/use-bots.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Choose, State } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { SearchForm } from '../parts/search-form.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import type { Search } from '../routes.tsx';
import { InboxSections } from './inbox-sections.tsx';

type Mail = Schema<'Email'>;

const path = '/api/email-threads/held-mails';

/** Mails that wait until an admin decides. */
export function HeldMails() {
  const { bot, q } = useSearch({ strict: false });
  const navigate = useNavigate();
  const bots = useBots();
  const mails = useList(path, { query: { botId: bot, address: q }, everyMs: 5000 });
  const choose = (change: Search) =>
    void navigate({ to: '.', search: (now: Search) => ({ ...now, ...change }) });
  return (
    <Page
      title="Held mails"
      about="Mails that wait for a decision, because nobody has let their senders write, or because they may be forged. They wait for 30 days."
      answers={[mails]}
    >
      <InboxSections />
      <div className="grid max-w-2xl items-start gap-4 md:grid-cols-2">
        <SearchForm
          label="Sender"
          hint="The whole address"
          value={q}
          onSearch={(text) => choose({ q: text })}
        />
        <Choose
          label="Bot"
          value={bot}
          options={[['', 'all'], ...bots.options]}
          onChoose={(value) => choose({ bot: value })}
        />
      </div>
      <Table
        label="Held mails"
        list={mails}
        keyOf={({ mailId }) => mailId}
        empty={
          q || bot ? (
            <Empty title="No held mail fits." />
          ) : (
            <Empty title="No mail is held.">
              A mail shows up here when nobody has let its sender write, or when it may be forged.
            </Empty>
          )
        }
        columns={[
          { title: 'From', of: (mail) => <Sender mail={mail} /> },
          { title: 'Mail', of: (mail) => <Gist mail={mail} /> },
          { title: 'To', of: ({ botId }) => bots.nameOf(botId) },
          { title: 'Why it is held', of: (mail) => <WhyHeld mail={mail} /> },
          { title: 'Came', of: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Decide', of: (mail) => <Decide mail={mail} /> },
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
      <Link
        to="/inbox/held-mails/$mailId"
        params={{ mailId }}
        className="font-medium break-words text-accent underline"
      >
        {subject || 'without a subject'}
      </Link>
      <span className="line-clamp-2 break-words text-soft">{text}</span>
      {attachments.length > 0 && (
        <span className="text-soft">
          {attachments.length === 1 ? '1 file' : `${attachments.length} files`}
        </span>
      )}
    </div>
  );
}

/** Whether the mail may be from somebody else than it says: a grant of its sender doesn't release it then. */
export const isUnproven = ({ senderProof }: Pick<Mail, 'senderProof'>): boolean => senderProof === 'failed';

export function WhyHeld({ mail }: { mail: Pick<Mail, 'reason' | 'senderProof'> }) {
  return (
    <div className="grid min-w-40 justify-items-start gap-1">
      <State word={isUnproven(mail) ? 'not proven' : 'not let in'} />
      <span className="break-words text-soft first-letter:uppercase">
        {mail.reason ?? 'Nobody has let this sender write to the bot.'}
      </span>
    </div>
  );
}

/** The two decisions about a single mail. */
export function Decide({ mail: { mailId } }: { mail: Pick<Mail, 'mailId'> }) {
  const rest = { method: 'post', names: { mailId } } as const;
  return (
    <div className="flex flex-wrap gap-2">
      <ActButton
        ask="Have this one mail answered? Its sender is not let in by that."
        action={{ what: 'Have the mail answered', path: `${path}/{mailId}/admit`, ...rest }}
      >
        Answer it
      </ActButton>
      <ActButton
        look="bad"
        ask="Refuse this mail for good? It is never answered, and its sender is told nothing."
        action={{ what: 'Refuse the mail', path: `${path}/{mailId}/refuse`, ...rest }}
      >
        Refuse
      </ActButton>
    </div>
  );
}
