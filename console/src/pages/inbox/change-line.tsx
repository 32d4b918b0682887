import type { Schema } from '@botyard/client/client';
import { Time } from '../../parts/text.tsx';

type Change = Schema<'ChatChange'>;

/** A change of the chat, as a line between its messages. */
export function ChangeLine({ change }: { change: Change }) {
  return (
    <li className="flex flex-wrap items-baseline justify-center gap-x-1.5 text-center text-xs text-soft">
      <span className="max-w-full min-w-0 [overflow-wrap:anywhere]">
        <What change={change} />
      </span>
      <Time at={change.createdAt} />
    </li>
  );
}

function What({ change: { kind, actor, assignee, snoozedUntil } }: { change: Change }) {
  const by = <Name of={actor} />;
  switch (kind) {
    case 'taken_over':
      return <>{by} took over</>;
    case 'handed_over':
      return <>The agent asked for a person</>;
    case 'assigned':
      return assignee ? (
        <>
          {by} assigned this to <Name of={assignee} />
        </>
      ) : (
        <>{by} left this to nobody in particular</>
      );
    case 'handed_back':
      return actor ? <>{by} handed back to the bot</> : <>The bot took the chat back</>;
    case 'opened':
      return <>{by} opened this</>;
    case 'waiting':
      return <>{by} set this to waiting</>;
    case 'snoozed':
      return (
        <>
          {by} snoozed this until <Time at={snoozedUntil} />
        </>
      );
    case 'snooze_ended':
      return <>The snooze ended</>;
    case 'resolved':
      return <>{by} resolved this</>;
    case 'reopened':
      return <>Reopened by a message</>;
  }
}

const Name = ({ of }: { of: Change['actor'] }) => (
  <bdi className="font-medium">{of?.name ?? 'A colleague'}</bdi>
);
