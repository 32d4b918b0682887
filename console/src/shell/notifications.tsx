import { useNavigate } from '@tanstack/react-router';
import { Bell, BellOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useActing } from '../api/acting.tsx';
import { useList } from '../api/use-answer.ts';
import { keepLive, useLiveEvents } from '../api/use-live.ts';
import { IconButton } from '../parts/controls.tsx';
import { type Notice, Notices } from './notices.ts';

const storageKey = 'notifications';
const words = {
  unsupported: 'This browser shows no notifications of web pages.',
  denied: 'The browser blocks notifications. Allow them in its settings for this page, then try again.',
} as const;

/** Switches notifications of this browser on and off, and says why they can't be switched on. */
export function NotificationSwitch() {
  const { tenantId } = useActing();
  const [isOn, setOn] = useState(isAllowed);
  const [problem, setProblem] = useState<keyof typeof words>();
  if (tenantId === null) return null;
  const toggle = async () => {
    const isWanted = !isOn;
    const refusal = isWanted ? await askBrowser() : undefined;
    setProblem(refusal);
    localStorage.setItem(storageKey, isWanted && !refusal ? 'on' : 'off');
    setOn(isWanted && !refusal);
  };
  return (
    <>
      <IconButton
        icon={isOn ? Bell : BellOff}
        label="Notify me of chats"
        aria-pressed={isOn}
        onClick={() => void toggle()}
      />
      {isOn && <Listener />}
      <p role="status" className="basis-full text-xs text-warn empty:hidden">
        {problem && words[problem]}
      </p>
    </>
  );
}

const isAllowed = (): boolean =>
  localStorage.getItem(storageKey) === 'on' &&
  typeof Notification !== 'undefined' &&
  Notification.permission === 'granted';

/** Asks for the permission. Returns the reason if there is none. */
async function askBrowser(): Promise<keyof typeof words | undefined> {
  if (typeof Notification === 'undefined') return 'unsupported';
  return (await Notification.requestPermission()) === 'granted' ? undefined : 'denied';
}

/** The chats of the reader that are known before the first event. */
const maxOwnChats = 100;

/** Listens also while the tab is hidden, and tells only then. */
function Listener() {
  const { userId } = useActing();
  const navigate = useNavigate();
  const [notices] = useState(() => new Notices(userId));
  const { data: ownChats } = useList('/api/interactions/chats', {
    query: { queue: 'mine', limit: maxOwnChats },
  });
  useEffect(() => notices.know(ownChats?.map(({ chatId }) => chatId) ?? []), [notices, ownChats]);
  useEffect(() => {
    keepLive(true);
    return () => keepLive(false);
  }, []);
  useLiveEvents((told) => {
    const notice = notices.hear(told);
    if (!notice || document.visibilityState === 'visible') return;
    show(notice, () => {
      void navigate({
        to: '/inbox/$chatId',
        params: { chatId: notice.chatId },
        search: ({ as, tenant }) => ({ as, tenant }),
      });
    });
  });
  return null;
}

/** A later notice of the same chat replaces the one before. */
function show({ chatId, words: body }: Notice, open: () => void): void {
  try {
    const notification = new Notification('Botyard', { body, tag: chatId });
    notification.onclick = () => {
      window.focus();
      notification.close();
      open();
    };
  } catch {
    // Some browsers of phones show notifications of installed apps only.
  }
}
