/** `npm run snapshot`: the snapshot of a release, from which `test/deploy/servers/upgrade.test.ts` upgrades. */
import { readCommandLine } from '../command-line/read-command-line.ts';

const {
  arguments: [revision = 'HEAD'],
} = readCommandLine({
  name: 'npm run snapshot',
  about:
    'Makes the snapshot of a release, from which upgrades are tested, in test/deploy/snapshots/<version>/ to be committed. It needs Linux.',
  arguments: [{ name: 'commit', about: 'A commit, tag or branch of this repository.', otherwise: 'HEAD' }],
  examples: [
    { command: 'npm run snapshot', about: 'of the version that is checked out' },
    { command: 'npm run snapshot -- v0.1.0', about: 'of a release by its tag' },
  ],
});
// Loaded late: the help doesn't need it, and it takes a second.
const { findCommit } = await import('../../test/deploy/support/code-of.ts');
const { makeSnapshot } = await import('../../test/deploy/support/snapshot/make.ts');

const commit = await findCommit(revision);
if (commit) {
  const { folder, facts } = await makeSnapshot(commit);
  console.log(`${folder}: version ${facts.version} of ${commit}`);
  for (const [step, count] of Object.entries(facts.waiting)) console.log(`  ${count} ${step}`);
} else {
  console.error(`snapshot: ${revision} is no commit of this repository`);
  process.exitCode = 1;
}
