import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../embedded/test/temporary.ts';
import { watchSources } from '../processes/source-watch.ts';
import { until } from './launcher-process.ts';

async function watchFolder(files: readonly string[]) {
  const root = await temporaryDirectory();
  mkdirSync(join(root, 'src/parts'), { recursive: true });
  for (const file of files) writeFileSync(join(root, file), '');
  const bursts: string[][] = [];
  const faults: Error[] = [];
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const options = { root, folders: ['src'], onChange: (paths: string[]) => bursts.push(paths) };
  watchSources({ ...options, onFault: (error) => faults.push(error) }, ending.signal);
  /** Makes a change and returns its reports. The change happens at once, so that no pause divides it. */
  const reported = async (change: () => void) => {
    const before = bursts.length;
    change();
    await until(() => (bursts.length > before ? true : undefined));
    return bursts.slice(before);
  };
  return { at: (path: string) => join(root, path), reported, faults };
}

test('every change is reported, even of files that are replaced as editors do', async () => {
  const { at, reported, faults } = await watchFolder(['src/parts/a.ts']);
  const replace = () => {
    writeFileSync(at('src/parts/.a.ts.new'), 'new');
    renameSync(at('src/parts/.a.ts.new'), at('src/parts/a.ts'));
  };
  const edit = () => appendFileSync(at('src/parts/a.ts'), 'more');
  const remove = () => rmSync(at('src/parts/a.ts'));
  for (const change of [replace, replace, edit, remove])
    expect(await reported(change)).toEqual([['src/parts/a.ts']]);
  expect(faults).toEqual([]);
});

test('many changes at once are one report', async () => {
  const { at, reported } = await watchFolder(['src/a.ts', 'src/b.html']);
  const files = ['src/a.ts', 'src/b.html', 'src/c.json'];
  const write = () => files.forEach((path) => void writeFileSync(at(path), 'x'));
  expect(await reported(write)).toEqual([files]);
});

test('folders that appear are watched, and those that come back, too', async () => {
  const { at, reported } = await watchFolder([]);
  const file = 'src/new/deep/a.ts';
  const appear = () => {
    mkdirSync(at('src/new/deep'), { recursive: true });
    writeFileSync(at(file), '');
  };
  const edit = () => appendFileSync(at(file), 'x');
  const remove = () => rmSync(at('src/new'), { recursive: true });
  for (const change of [appear, edit, remove, appear, edit]) expect(await reported(change)).toEqual([[file]]);
});

test('notes and temporary files of editors do not count as changes', async () => {
  const { at, reported } = await watchFolder(['src/README.md', 'src/a.ts']);
  const names = ['README.md', '.a.ts.swp', '.#a.ts', 'a.ts~', '4913', 'a.ts'];
  const write = () => names.forEach((name) => void writeFileSync(at(`src/${name}`), 'x'));
  expect(await reported(write)).toEqual([['src/a.ts']]);
});
