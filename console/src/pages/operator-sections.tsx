import type { ReactNode } from 'react';
import { useActing } from '../api/acting.tsx';
import type { Shown } from '../api/use-answer.ts';
import { Page } from '../parts/page.tsx';
import { type Section, Sections } from '../parts/sections.tsx';

const sections: readonly Section[] = [
  { to: '/operator', title: 'Services' },
  { to: '/operator/tenants', title: 'Tenants' },
  { to: '/operator/dead-letters', title: 'Dead letters' },
  { to: '/operator/configuration', title: 'Configuration' },
  { to: '/operator/database', title: 'Database' },
  { to: '/operator/identity', title: 'Identity provider' },
  { to: '/operator/archive', title: 'Archive' },
];

interface OperatorPageProps {
  answers: readonly Shown[];
  /** The page for admins of a tenant, if they may use it, too. */
  forAdmins?: { title: string; about: string };
  children: ReactNode;
}

/** The common layout of the operator pages. */
export function OperatorPage({ answers, forAdmins, children }: OperatorPageProps) {
  const { isOperator } = useActing();
  if (forAdmins && !isOperator)
    return (
      <Page {...forAdmins} answers={answers}>
        {children}
      </Page>
    );
  return (
    <Page title="Operator" about="Manage the whole platform. Operators only." answers={answers}>
      <Sections label="Operator sections" sections={sections} />
      {children}
    </Page>
  );
}
