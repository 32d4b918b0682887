import { useActing } from '../api/acting.tsx';
import { type Section, Sections } from '../parts/sections.tsx';

const sections: readonly Section[] = [
  { to: '/access', title: 'Relationships' },
  { to: '/access/policies', title: 'Policies' },
];
const forOperators: readonly Section[] = [
  ...sections,
  { to: '/access/migration', title: 'Migration (operators)' },
];

export function AccessSections() {
  const { isOperator } = useActing();
  return <Sections label="Access sections" sections={isOperator ? forOperators : sections} />;
}

export const aboutAccess = 'Relationships and policies must both allow a request.';
