/** The limits for files in a message of staff: those of files that people send by mail. Sizes are in bytes. */
export const staffFiles = { most: 10, maxBytesOfOne: 25 * 1024 * 1024 } as const;
