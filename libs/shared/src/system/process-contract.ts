/** With this a process ends that wants to be started again at once: the launcher does so without a pause. */
export const restartExitCode = 75;

/** In every answer of a service to the gateway, which keeps it back: the process that answered. */
export const instanceHeader = 'x-botyard-instance';

/** The launcher writes in here, separated by commas, which variables it filled in by itself. */
export const launcherSettingsName = 'BOTYARD_LAUNCHER_SETTINGS';
