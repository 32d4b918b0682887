let last = process.memoryUsage();

/** Node reads a file for it: a process that can open none goes on telling what it found last. */
export function memoryInUse(): NodeJS.MemoryUsage {
  try {
    last = process.memoryUsage();
  } catch {
    // `watchDescriptors` tells of it.
  }
  return last;
}
