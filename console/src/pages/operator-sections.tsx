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

/** The frame of all operators' pages. */
export function OperatorPage({ answers, children }: { answers: readonly Shown[]; children: ReactNode }) {
  return (
    <Page title="Operator" about="The platform as a whole. Operators only." answers={answers}>
      <Sections label="Pages of operators" sections={sections} />
      {children}
    </Page>
  );
}
