declare module 'virtual:platforms' {
  export const platforms: readonly import('./pages/channels/platform-form.ts').PlatformForm[];
}
