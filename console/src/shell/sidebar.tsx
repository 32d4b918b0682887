import { Link, useLocation } from '@tanstack/react-router';
import { PanelLeftClose, PanelLeftOpen, Search } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { useActing } from '../api/acting.tsx';
import { Avatar } from '../parts/avatar.tsx';
import { IconButton } from '../parts/controls.tsx';
import { Mark } from '../parts/mark.tsx';
import { NotificationSwitch, type Notifications } from './notifications.tsx';
import { type ListedPage, pageGroups, pageOf, pagesFor } from './pages.ts';
import { TenantSwitch } from './tenant-switch.tsx';
import type { Counts } from './use-counts.ts';

interface SidebarProps {
  /** The signed-in person. */
  name: string;
  counts: Counts;
  notifications: Notifications;
  onSearch: () => void;
}

/** The pages of the console in groups, between the tenant and the person. It stays in view and can be folded. */
export function Sidebar({ name, counts, notifications, onSearch }: SidebarProps) {
  const [isFolded, fold] = useFolded();
  const Fold = isFolded ? PanelLeftOpen : PanelLeftClose;
  return (
    <aside
      className={`hidden shrink-0 flex-col gap-3 border-r border-line bg-sunk p-3 md:flex ${isFolded ? 'w-16 items-center' : 'w-60'}`}
    >
      <div className={`flex items-center gap-2 ${isFolded ? 'flex-col' : ''}`}>
        <Mark className="size-7" />
        {!isFolded && <span className="flex-1 text-lg font-bold tracking-tight">Botyard</span>}
        <IconButton
          icon={Fold}
          label={isFolded ? 'Unfold the sidebar' : 'Fold the sidebar'}
          onClick={() => fold(!isFolded)}
        />
      </div>
      {!isFolded && <TenantSwitch />}
      {isFolded ? (
        <IconButton icon={Search} label="Go to…" onClick={onSearch} aria-keyshortcuts="Control+K Meta+K" />
      ) : (
        <button
          type="button"
          onClick={onSearch}
          aria-keyshortcuts="Control+K Meta+K"
          className="flex min-h-9 cursor-pointer items-center gap-2 rounded-md border border-line bg-panel px-2.5 text-sm text-soft hover:bg-hover"
        >
          <Search aria-hidden="true" className="size-4" />
          <span className="flex-1 text-left">Go to…</span>
          <kbd className="rounded border border-line px-1 text-xs">Ctrl K</kbd>
        </button>
      )}
      <Navigation counts={counts} isFolded={isFolded} />
      <div className="mt-auto flex flex-wrap items-center gap-2 border-t border-line pt-3 text-sm">
        <Avatar name={name} size="small" />
        {!isFolded && (
          <span dir="auto" className="min-w-0 flex-1 truncate">
            {name}
          </span>
        )}
        <NotificationSwitch notifications={notifications} />
      </div>
    </aside>
  );
}

/** Whether the sidebar is folded, as it was left. */
function useFolded() {
  const [isFolded, fold] = useState(() => localStorage.getItem('sidebar') === 'folded');
  useEffect(() => localStorage.setItem('sidebar', isFolded ? 'folded' : 'open'), [isFolded]);
  return [isFolded, fold] as const;
}

interface NavigationProps {
  counts: Counts;
  isFolded?: boolean;
  onGo?: () => void;
}

/** The links to the pages that the caller may use. */
export function Navigation({ counts, isFolded = false, onGo }: NavigationProps) {
  const id = useId();
  const { pathname } = useLocation();
  const listed = pagesFor(useActing());
  const current = pageOf(pathname, listed);
  return (
    <nav aria-label="Pages" className="grid min-h-0 content-start gap-1.5 overflow-y-auto">
      {pageGroups.map((group) => {
        const pages = listed.filter((page) => page.group === group);
        if (pages.length === 0) return null;
        return (
          <div key={group} className="grid gap-0.5">
            <p
              id={`${id}-${group}`}
              className={isFolded ? 'sr-only' : 'px-2.5 pb-0.5 text-xs font-medium text-soft'}
            >
              {group}
            </p>
            <ul aria-labelledby={`${id}-${group}`}>
              {pages.map((page) => (
                <li key={page.to}>
                  <PageLink
                    page={page}
                    count={counts[page.to] ?? 0}
                    isCurrent={page === current}
                    isFolded={isFolded}
                    onGo={onGo}
                  />
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}

interface PageLinkProps {
  page: ListedPage;
  /** How much waits there. */
  count: number;
  isCurrent: boolean;
  isFolded: boolean;
  onGo: (() => void) | undefined;
}

function PageLink({ page: { to, title, icon: Icon }, count, isCurrent, isFolded, onGo }: PageLinkProps) {
  return (
    <Link
      to={to}
      title={isFolded ? title : undefined}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={onGo}
      className={`relative flex min-h-[1.875rem] items-center gap-2.5 rounded-md px-2.5 text-sm hover:bg-hover ${isCurrent ? 'bg-accent-tint font-semibold text-accent' : ''}`}
    >
      <Icon aria-hidden="true" className="size-4 shrink-0" />
      <span className={isFolded ? 'sr-only' : 'flex-1 whitespace-nowrap'}>{title}</span>
      {count > 0 && (
        <span
          className={`rounded-full bg-accent px-1.5 text-xs font-semibold text-accent-ink tabular-nums ${isFolded ? 'absolute -top-0.5 -right-0.5' : ''}`}
        >
          {count > 99 ? '99+' : count}
          <span className="sr-only"> waiting</span>
        </span>
      )}
    </Link>
  );
}
