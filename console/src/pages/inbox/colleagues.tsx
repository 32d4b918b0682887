import { Avatar } from '../../parts/avatar.tsx';
import type { Presence } from './presences.ts';
import { useColleagues } from './use-presence.ts';

const maxNamed = 3;
const nameOf = ({ name }: Presence): string => name ?? 'A colleague';

/** The colleagues who have the chat open, and whether they type. */
export function Colleagues({ chatId }: { chatId: string }) {
  const colleagues = useColleagues(chatId);
  return (
    <div role="status" className="grid grid-cols-[minmax(0,1fr)] empty:hidden">
      {colleagues.length > 0 && (
        <ul className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-soft">
          {colleagues.slice(0, maxNamed).map((one) => (
            <li key={one.userId} className="flex max-w-full min-w-0 animate-rise items-center gap-1.5">
              <Avatar name={nameOf(one)} size="small" />
              <span className="truncate">
                <bdi>{nameOf(one)}</bdi> {one.state === 'typing' ? 'is typing…' : 'is here'}
              </span>
            </li>
          ))}
          {colleagues.length > maxNamed && <li>and {colleagues.length - maxNamed} more</li>}
        </ul>
      )}
    </div>
  );
}

/** The avatars of colleagues who have a chat of the list open. */
export function ColleaguesOfLine({ chatId }: { chatId: string }) {
  const colleagues = useColleagues(chatId);
  if (colleagues.length === 0) return null;
  const isTyping = colleagues.some(({ state }) => state === 'typing');
  return (
    <span className="ml-auto flex shrink-0 items-center -space-x-1.5">
      {colleagues.slice(0, maxNamed).map((one) => (
        <Avatar key={one.userId} name={nameOf(one)} size="small" />
      ))}
      <span className="sr-only">
        {colleagues.map(nameOf).join(', ')} {isTyping ? 'typing here' : 'here'}
      </span>
    </span>
  );
}
