/** Runs calls with a bound. The first failure ends it, after the calls that have begun. */
export async function inParallel<T>(
  items: readonly T[],
  most: number,
  call: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (const item of left) {
      if (failures.length > 0) return;
      try {
        await call(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work));
  if (failures.length > 0) throw failures[0];
}
