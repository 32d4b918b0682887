import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PartName } from '../options.ts';
import { drawBars } from './bars.ts';
import { type CpuProfile, serviceOf, sharesOf } from './profile.ts';

/** The hot paths whose profiles are drawn, by part. */
const hotPaths: Partial<Record<PartName, { service: string; file: string; what: string }>> = {
  admission: { service: 'webhooks', file: 'profile-admission', what: 'Admission of deliveries' },
  'end-to-end': { service: 'agents', file: 'profile-turn', what: 'Turns' },
  gateway: { service: 'gateway', file: 'profile-gateway', what: 'Requests through the gateway' },
  'tenant-read': { service: 'tenancy', file: 'profile-tenant-read', what: 'Reads of a tenant' },
};

/**
 * Draws the time shares of a hot path's process from the profiles of the part.
 * @returns the file that was drawn; `undefined` for a part without a hot path.
 */
export async function drawHotPath(
  part: PartName,
  { profileDir, pictureDir, on }: { profileDir: string; pictureDir: string; on: Date },
): Promise<string | undefined> {
  const path = hotPaths[part];
  if (!path) return undefined;
  const profile = await longestOf(profileDir, path.service);
  const file = join(pictureDir, `${path.file}.svg`);
  const picture = drawBars({
    title: `${path.what}: where the process of ${path.service} spends its time`,
    subtitle: `Time by itself, of the time in which it works after its start; npm run bench -- ${part} --profile --pictures, ${on.toISOString().slice(0, 10)}`,
    bars: sharesOf(profile).map(({ bucket, share }) => ({ name: bucket, share })),
  });
  await writeFile(file, picture);
  return file;
}

/**
 * Returns the service's profile with the most working time. A part may start a service several times, and that one was
 * under load. @throws if there is no profile.
 */
async function longestOf(profileDir: string, service: string): Promise<CpuProfile> {
  let longest: CpuProfile | undefined;
  for (const name of await readdir(profileDir)) {
    if (!name.endsWith('.cpuprofile')) continue;
    const profile = JSON.parse(await readFile(join(profileDir, name), 'utf8')) as CpuProfile;
    if (serviceOf(profile) !== service) continue;
    if (!longest || profile.samples.length > longest.samples.length) longest = profile;
  }
  if (!longest) throw new Error(`there is no profile of ${service} in ${profileDir}`);
  return longest;
}
