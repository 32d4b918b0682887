import type { ReactNode } from 'react';
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

/** The common layout of the operator pages. */
export function OperatorPage({ answers, children }: { answers: readonly Shown[]; children: ReactNode }) {
  return (
    <Page title="Operator" about="Manage the whole platform. Operators only." answers={answers}>
      <Sections label="Operator sections" sections={sections} />
      {children}
    </Page>
  );
}
