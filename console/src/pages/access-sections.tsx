import { Sections } from '../parts/sections.tsx';

const sections = [
  { to: '/access', title: 'Relationships' },
  { to: '/access/policies', title: 'Policies' },
  { to: '/access/migration', title: 'Migration (operators)' },
] as const;

export const AccessSections = () => <Sections label="Access sections" sections={sections} />;

export const aboutAccess = 'Relationships and policies must both allow a request.';
