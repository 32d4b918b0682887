/** Exit code of a process that requests its own restart: the launcher restarts it without a delay. */
export const restartExitCode = 75;

/** Header of every service's response to the gateway, with the process that answered. The gateway removes it. */
export const instanceHeader = 'x-botyard-instance';

/** The launcher lists here, separated by commas, the variables that it filled in. */
export const launcherSettingsName = 'BOTYARD_LAUNCHER_SETTINGS';
