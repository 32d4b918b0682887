/**
 * `npm run snapshot -- <commit>`: makes the snapshot of a release, from which `test/deploy/servers/upgrade.test.ts`
 * upgrades. Commit what it writes to `test/deploy/snapshots/<version>/`. Needs Linux and no other server.
 */
import { findCommit } from '../../test/deploy/support/code-of.ts';
import { makeSnapshot } from '../../test/deploy/support/snapshot/make.ts';

const revision = process.argv[2] ?? 'HEAD';
const commit = await findCommit(revision);
if (commit) {
  const { folder, facts } = await makeSnapshot(commit);
  console.log(`${folder}: version ${facts.version} of ${commit}`);
  for (const [step, count] of Object.entries(facts.waiting)) console.log(`  ${count} ${step}`);
} else {
  console.error(`snapshot: ${revision} is no commit of this repository`);
  process.exitCode = 1;
}
