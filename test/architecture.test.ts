import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Check } from './architecture/check.ts';
import { columnChecks } from './architecture/columns.ts';
import { databaseChecks } from './architecture/database.ts';
import { layerChecks } from './architecture/layers.ts';
import { loadingChecks } from './architecture/loading.ts';
import { migrationChecks } from './architecture/migrations.ts';
import { moduleChecks } from './architecture/modules.ts';
import { pinChecks } from './architecture/pins.ts';
import { platformChecks } from './architecture/platforms.ts';
import { promiseChecks } from './architecture/promises.ts';
import { requirementChecks } from './architecture/requirements.ts';
import { rowChecks } from './architecture/rows.ts';
import { textChecks } from './architecture/text.ts';
import { treeChecks } from './architecture/tree.ts';

/** The rules that a program can check; CONTRIBUTING.md explains them to people. */
const groups: Readonly<Record<string, readonly Check[]>> = {
  'the tree': treeChecks,
  layers: layerChecks,
  modules: moduleChecks,
  'what is loaded': loadingChecks,
  'what is written': textChecks,
  migrations: migrationChecks,
  pins: pinChecks,
  platforms: platformChecks,
  promises: promiseChecks,
  rows: rowChecks,
  requirements: requirementChecks,
};

for (const [group, checks] of Object.entries(groups)) {
  describe(group, () => {
    for (const { rule, faults } of checks) test(rule, () => expect(faults()).toEqual([]));
  });
}

describe('I-10: the migrated database', () => {
  let harness: ServiceHarness;
  beforeAll(async () => {
    harness = await ServiceHarness.open();
  });
  afterAll(() => harness?.close());

  for (const { rule, faults } of [...databaseChecks(() => harness), ...columnChecks(() => harness)]) {
    test(rule, async () => expect(await faults()).toEqual([]));
  }
});
