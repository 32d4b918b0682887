import { useNavigate } from '@tanstack/react-router';
import { Bell, BellOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useActing } from '../api/acting.tsx';
import { useList } from '../api/use-answer.ts';
import { keepLive, useLiveEvents } from '../api/use-live.ts';
import { Button, IconButton } from '../parts/controls.tsx';
import { type Notice, Notices } from './notices.ts';

const storageKey = 'notifications';
const label = 'Notify me of chats';
const words = {
  unsupported: 'This browser shows no notifications of web pages.',
  denied: 'The browser blocks notifications. Allow them in its settings for this page, then try again.',
} as const;

/** Whether this browser notifies of chats, and why it can't. */
export interface Notifications {
  isOn: boolean;
  problem: keyof typeof words | undefined;
  /** Switches them on or off. */
  toggle: () => void;
  /** The browser refused to show one: they are off. */
  giveUp: () => void;
}

/** The notifications of this browser, for all their switches. */
export function useNotifications(): Notifications {
  const [isOn, setOn] = useState(isAllowed);
  const [problem, setProblem] = useState<keyof typeof words>();
  const set = (isWanted: boolean, refusal?: keyof typeof words) => {
    setProblem(refusal);
    localStorage.setItem(storageKey, isWanted && !refusal ? 'on' : 'off');
    setOn(isWanted && !refusal);
  };
  return {
    isOn,
    problem,
    toggle: () => void (async () => set(!isOn, isOn ? undefined : await askBrowser()))(),
    giveUp: () => set(true, 'unsupported'),
  };
}

interface NotificationSwitchProps {
  notifications: Notifications;
  /** Says in words what the icon stands for. */
  isInWords?: boolean;
}

/** Switches notifications of this browser on and off, and says why they can't be switched on. */
export function NotificationSwitch({ notifications, isInWords = false }: NotificationSwitchProps) {
  const { isOn, problem, toggle } = notifications;
  const { tenantId } = useActing();
  if (tenantId === null) return null;
  const icon = isOn ? Bell : BellOff;
  return (
    <>
      {isInWords ? (
        <Button look="quiet" icon={icon} aria-pressed={isOn} className="justify-self-start" onClick={toggle}>
          {label}
        </Button>
      ) : (
        <IconButton icon={icon} label={label} aria-pressed={isOn} onClick={toggle} />
      )}
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
export function NotificationListener({ onRefused }: { onRefused: () => void }) {
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
    const open = () =>
      void navigate({
        to: '/inbox/$chatId',
        params: { chatId: notice.chatId },
        search: ({ as, tenant }) => ({ as, tenant }),
      });
    if (!show(notice, open)) onRefused();
  });
  return null;
}

/** A later notice of the same chat replaces the one before. Returns false if the browser shows none. */
function show({ chatId, words: body }: Notice, open: () => void): boolean {
  try {
    const notification = new Notification('Botyard', { body, tag: chatId });
    notification.onclick = () => {
      window.focus();
      notification.close();
      open();
    };
    return true;
  } catch {
    // Some browsers of phones show notifications of installed apps only.
    return false;
  }
}
