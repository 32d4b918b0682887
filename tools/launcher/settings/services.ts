/** The processes that make up Botyard, in the order in which the settings and lists name them. */
export const domainServices = ['tenancy', 'keys', 'usage', 'webhooks', 'agents'] as const;
export const serviceNames = ['gateway', ...domainServices] as const;

export type DomainService = (typeof domainServices)[number];
export type ServiceName = (typeof serviceNames)[number];
