declare module 'virtual:platform-titles' {
  export const platformTitles: Readonly<Record<string, string>>;
}

declare module 'virtual:platforms' {
  export const platforms: readonly import('./pages/channels/platform-form.ts').PlatformForm[];
}
