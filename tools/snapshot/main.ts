/** `npm run snapshot`: takes the snapshot of a release, from which `test/deploy/servers/upgrade.test.ts` upgrades. */
import { readCommandLine } from '../command-line/read-command-line.ts';

const {
  arguments: [revision = 'HEAD'],
} = readCommandLine({
  name: 'npm run snapshot',
  about:
    'Takes the snapshot of a release for the upgrade tests and writes it to test/deploy/snapshots/<version>/. Commit that folder. Requires Linux.',
  arguments: [{ name: 'commit', about: 'A commit, tag or branch of this repository.', otherwise: 'HEAD' }],
  examples: [
    { command: 'npm run snapshot', about: 'the version that is checked out' },
    { command: 'npm run snapshot -- v0.1.0', about: 'a release by its tag' },
  ],
});
// Imported late, because it takes a second and the help doesn't need it.
const { findCommit } = await import('../../test/deploy/support/code-of.ts');
const { makeSnapshot } = await import('../../test/deploy/support/snapshot/make.ts');

const commit = await findCommit(revision);
if (commit) {
  const { folder, facts } = await makeSnapshot(commit);
  console.log(`${folder}: version ${facts.version} of ${commit}`);
  for (const [step, count] of Object.entries(facts.waiting)) console.log(`  ${count} ${step}`);
} else {
  console.error(`snapshot: ${revision} is not a commit of this repository: pass a commit, tag or branch`);
  process.exitCode = 1;
}
