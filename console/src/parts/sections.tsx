import { Link, type LinkProps, useLocation } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';
import { useActing } from '../api/acting.tsx';
import { mayRead } from '../shell/pages.ts';

export interface Section {
  to: NonNullable<LinkProps['to']>;
  title: string;
}

/** The tabs of an area that has several pages, as far as the caller may read them. Each tab has its own address. */
export function Sections({ label, sections }: { label: string; sections: readonly Section[] }) {
  const nav = useCurrentInView();
  const acting = useActing();
  const { pathname } = useLocation();
  const readable = sections.filter(({ to }) => mayRead(to, acting));
  const current = sectionAt(pathname, readable);
  return (
    <nav ref={nav} aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
      {readable.map(({ to, title }) => (
        <Link
          key={title}
          to={to}
          activeOptions={{ exact: true, includeSearch: false }}
          aria-current={to === current ? 'page' : undefined}
          className={`border-b-2 px-3 py-2 text-sm whitespace-nowrap ${
            to === current
              ? 'border-accent font-semibold text-ink'
              : 'border-transparent text-soft hover:text-ink'
          }`}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}

/** The section of a page: of several whose addresses the page's begins with, the longest. */
const sectionAt = (pathname: string, sections: readonly Section[]): Section['to'] | undefined =>
  sections
    .map(({ to }) => to)
    .filter((to) => pathname === to || pathname.startsWith(`${to}/`))
    .toSorted((one, other) => other.length - one.length)[0];

/** Scrolls a row of links so that the current page's is in view: on a phone the row is wider than the window. */
export function useCurrentInView(): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current link depends on the address.
  useEffect(() => {
    const current = row.current?.querySelector<HTMLElement>('[aria-current=page]');
    if (!row.current || !current) return;
    const middle = current.offsetLeft - row.current.offsetLeft + current.offsetWidth / 2;
    row.current.scrollLeft = middle - row.current.clientWidth / 2;
  }, [pathname]);
  return row;
}
