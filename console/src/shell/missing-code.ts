import { consolePaths } from '@botyard/contracts/console-paths';

const missingCode =
  'A part of the console could not be loaded. Try again to reload the page. If that fails too, tell an operator.';
const mainFile = new RegExp(`${consolePaths.files}/main-[0-9a-f]+\\.js`);

/**
 * A part of the code can't be loaded. The error then says what to do, in place of the browser's own message, which only
 * names the file and makes the router reload the page.
 * @param runningFile the address of the main file that runs
 */
export function afterMissingCode(error: Error, runningFile: string): void {
  error.message = missingCode;
  reloadForNewerBuild(new URL(runningFile).pathname).catch(() => undefined);
}

/** A browser doesn't load a file of code again once that failed. Only a reload helps. */
export const isMissingCode = ({ message }: Error): boolean => message === missingCode;

/**
 * If the gateway's page names another main file, a newer build has replaced this one, and its files have other names.
 * In all other cases a reload by itself would change nothing, and lose what is typed in the page.
 */
async function reloadForNewerBuild(running: string): Promise<void> {
  const page = await fetch('/', { cache: 'no-store' });
  const [main] = mainFile.exec(await page.text()) ?? [];
  if (main !== undefined && main !== running) window.location.reload();
}
