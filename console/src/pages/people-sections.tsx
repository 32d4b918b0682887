import { Sections } from '../parts/sections.tsx';

const sections = [
  { to: '/people', title: 'Members' },
  { to: '/people/invitations', title: 'Invitations' },
  { to: '/people/moderation', title: 'Moderation' },
  { to: '/people/accounts', title: 'Accounts' },
  { to: '/people/erasure', title: 'Erasure' },
] as const;

export const PeopleSections = () => <Sections label="People sections" sections={sections} />;
