import { Link, useLocation } from '@tanstack/react-router';
import { Menu } from 'lucide-react';
import { useState } from 'react';
import { useActing } from '../api/acting.tsx';
import { Popup } from '../parts/popup.tsx';
import { NotificationSwitch, type Notifications } from './notifications.tsx';
import { pageOf, pagesFor } from './pages.ts';
import { Navigation } from './sidebar.tsx';
import { TenantSwitch } from './tenant-switch.tsx';
import type { Counts } from './use-counts.ts';

/** The pages that people need on the way. */
const onTheWay = ['/', '/inbox', '/approvals', '/agents', '/bots'];
const maxTabs = 4;

interface PhoneBarProps {
  counts: Counts;
  notifications: Notifications;
}

/** On a phone: the first pages at the thumb, and all others behind "More". */
export function PhoneBar({ counts, notifications }: PhoneBarProps) {
  const [isOpen, open] = useState(false);
  const { pathname } = useLocation();
  const listed = pagesFor(useActing());
  const current = pageOf(pathname, listed);
  const tabs = listed.filter(({ to }) => onTheWay.includes(to)).slice(0, maxTabs);
  const look = 'relative grid min-h-14 flex-1 place-items-center content-center gap-0.5 text-xs';
  return (
    <>
      <nav
        aria-label="First pages"
        className="flex border-t border-line bg-panel pb-[env(safe-area-inset-bottom)] md:hidden"
      >
        {tabs.map((page) => (
          <Link
            key={page.to}
            to={page.to}
            aria-current={page === current ? 'page' : undefined}
            className={`${look} ${page === current ? 'font-semibold text-accent' : 'text-soft'}`}
          >
            <page.icon aria-hidden="true" className="size-5" />
            {page.title}
            {(counts[page.to] ?? 0) > 0 && (
              <span className="absolute top-1.5 left-1/2 ml-2 size-2.5 rounded-full bg-accent">
                <span className="sr-only">{counts[page.to]} waiting</span>
              </span>
            )}
          </Link>
        ))}
        <button type="button" className={`${look} cursor-pointer text-soft`} onClick={() => open(true)}>
          <Menu aria-hidden="true" className="size-5" />
          More
        </button>
      </nav>
      <Popup title="All pages" isOpen={isOpen} onOpen={open}>
        <TenantSwitch />
        <NotificationSwitch notifications={notifications} isInWords />
        <Navigation counts={counts} onGo={() => open(false)} />
      </Popup>
    </>
  );
}
