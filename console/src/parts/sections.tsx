import { Link, type LinkProps } from '@tanstack/react-router';

export interface Section {
  to: NonNullable<LinkProps['to']>;
  title: string;
}

/** The parts of a page that is too much for one: each has an address of its own. */
export function Sections({ label, sections }: { label: string; sections: readonly Section[] }) {
  return (
    <nav aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
      {sections.map(({ to, title }) => (
        <Link
          key={title}
          to={to}
          activeOptions={{ exact: true, includeSearch: false }}
          className="px-3 py-2 text-sm whitespace-nowrap hover:bg-hover"
          activeProps={{ className: 'border-b-2 border-accent font-semibold', 'aria-current': 'page' }}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
