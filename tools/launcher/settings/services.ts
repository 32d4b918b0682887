/** The processes that make up Botyard, in the order in which the settings and lists name them. */
export const domainServices = ['tenancy', 'keys', 'usage', 'webhooks', 'agents'] as const;
export const serviceNames = ['gateway', ...domainServices] as const;

export type ServiceName = (typeof serviceNames)[number];

/** The code of the services, and of the libraries that run in all of them. */
export const sourceFolders: readonly string[] = [
  ...serviceNames.map((name) => `services/${name}/src`),
  ...['contracts', 'shared', 'words'].map((name) => `libs/${name}/src`),
];

/** @param path of a file in one of the `sourceFolders` */
export function isSourceOf(service: ServiceName, path: string): boolean {
  return path.startsWith('libs/') || path.startsWith(`services/${service}/`);
}
