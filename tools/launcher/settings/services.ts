/** The services of Botyard, in the order of settings and lists. */
export const domainServices = ['tenancy', 'keys', 'usage', 'webhooks', 'agents'] as const;
export const serviceNames = ['gateway', ...domainServices] as const;

export type ServiceName = (typeof serviceNames)[number];

/** The source folders of the services and of the libraries that all services use. */
export const sourceFolders: readonly string[] = [
  ...serviceNames.map((name) => `services/${name}/src`),
  ...['contracts', 'shared', 'words'].map((name) => `libs/${name}/src`),
];

/** @param path the path of a file in one of the `sourceFolders` */
export function isSourceOf(service: ServiceName, path: string): boolean {
  return path.startsWith('libs/') || path.startsWith(`services/${service}/`);
}
