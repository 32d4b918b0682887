let last = process.memoryUsage();

/** Node reads a file for it: a process that can't open any keeps reporting the last result. */
export function memoryInUse(): NodeJS.MemoryUsage {
  try {
    last = process.memoryUsage();
  } catch {
    // `watchDescriptors` reports it.
  }
  return last;
}
