import { Link, useSearch } from '@tanstack/react-router';
import { useChatCounts } from '../../api/use-chat-counts.ts';
import { count } from '../../parts/text.tsx';

const queues = [
  { title: 'All', queue: undefined, state: undefined, counted: 'all' },
  { title: 'Mine', queue: 'mine', state: undefined, counted: 'mine' },
  { title: 'Unassigned', queue: 'unassigned', state: undefined, counted: 'unassigned' },
  { title: 'Waiting', queue: 'waiting', state: undefined, counted: 'waiting' },
  { title: 'Snoozed', queue: undefined, state: 'snoozed', counted: 'snoozed' },
  { title: 'Done', queue: undefined, state: 'resolved', counted: undefined },
] as const;

/** Counts end here: there are that many or more. */
const maxCounted = 10_000;

const look =
  'inline-flex items-center gap-1 rounded-full border border-line px-2.5 py-1 text-xs text-soft hover:bg-hover aria-[current=true]:border-accent aria-[current=true]:bg-accent-tint aria-[current=true]:font-medium aria-[current=true]:text-ink';

/** The queues of the inbox, each an address with the number of its chats. */
export function Queues() {
  const { bot, queue, state } = useSearch({ strict: false });
  const counts = useChatCounts(bot);
  const shown = (of: keyof NonNullable<typeof counts.data> | undefined) => {
    const many = of && counts.data?.[of];
    return many === undefined ? null : (
      <span>{many < maxCounted ? count(many) : `${count(maxCounted)}+`}</span>
    );
  };
  return (
    <nav aria-label="Queues" className="flex flex-wrap gap-1.5">
      {queues.map((one) => (
        <Link
          key={one.title}
          to="/inbox"
          search={(now) => ({ ...now, queue: one.queue, state: one.state, trace: undefined })}
          // A state leads out of the queues.
          aria-current={state === one.state && (state !== undefined || queue === one.queue)}
          activeProps={{}}
          className={look}
        >
          {one.title} {shown(one.counted)}
        </Link>
      ))}
    </nav>
  );
}
