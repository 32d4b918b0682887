import { accessSync, constants } from 'node:fs';
import { ConfigError } from './config.ts';

/** @throws ConfigError that names the setting and the file. */
export function checkReadable(setting: string, file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new ConfigError(`${setting}: ${file} can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
