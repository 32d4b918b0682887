import { useMayChange } from '../api/acting.tsx';
import { type Section, Sections } from '../parts/sections.tsx';

const sections: readonly Section[] = [
  { to: '/agents', title: 'Your agents' },
  { to: '/agents/tools', title: 'Tools' },
  { to: '/agents/capabilities', title: 'Capabilities' },
  { to: '/agents/documents', title: 'Documents' },
  { to: '/agents/marketplace', title: 'Marketplace' },
  { to: '/agents/triage', title: 'Routing preview' },
];
const forMembers = sections.filter(({ to }) => to !== '/agents/documents');

export function AgentSections() {
  const mayChange = useMayChange();
  return <Sections label="Agent sections" sections={mayChange ? sections : forMembers} />;
}
