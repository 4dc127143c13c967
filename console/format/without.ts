/** A record without one of its fields. */
export function without(record: object, name: string): object {
  return Object.fromEntries(Object.entries(record).filter(([each]) => each !== name));
}
