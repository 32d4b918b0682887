import { Popup } from '../../parts/popup.tsx';

const keys = [
  ['j, k', 'The next and the previous chat'],
  ['Enter', 'Open the chat'],
  ['r', 'Reply: take the chat over, or write into it'],
  ['Escape', 'Back to the chats'],
  ['/', 'Search; in a message: a canned reply'],
  ['x', 'Select the chat, for several at once'],
  ['e', 'The open chat is done, or opened again'],
  ['Ctrl+Enter', 'Send the message'],
  ['Ctrl+K', 'Go to any page or thing'],
  ['?', 'These keys'],
] as const;

/** The keys of the inbox. */
export const KeysHelp = ({ isOpen, onOpen }: { isOpen: boolean; onOpen: (isOpen: boolean) => void }) => (
  <Popup title="Keys of the inbox" isOpen={isOpen} onOpen={onOpen}>
    <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-6 gap-y-2">
      {keys.map(([key, does]) => (
        <div key={key} className="contents">
          <dt>
            <kbd className="rounded border border-line bg-sunk px-1.5 py-0.5 text-sm">{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  </Popup>
);
