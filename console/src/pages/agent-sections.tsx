import { type Section, Sections } from '../parts/sections.tsx';

const sections: readonly Section[] = [
  { to: '/agents', title: 'Your agents' },
  { to: '/agents/tools', title: 'Tools' },
  { to: '/agents/servers', title: 'Tool servers' },
  { to: '/agents/capabilities', title: 'Capabilities' },
  { to: '/agents/documents', title: 'Documents' },
  { to: '/agents/marketplace', title: 'Marketplace' },
  { to: '/agents/triage', title: 'Routing preview' },
];
export const AgentSections = () => <Sections label="Agent sections" sections={sections} />;
