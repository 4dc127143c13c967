// The time that one synchronous piece of work may take on the event loop. Most documents are
// checked within microseconds, and what takes long cannot be known from their size alone: rules and
// patterns multiply. So the work is begun on the event loop, and given up when its time is over; a
// thread then does it from the beginning. The work calls `tick` as it proceeds. The state is that
// of the module, because nothing else runs during synchronous work.

/** Amounts of work between two looks at the clock. */
const ticksPerLook = 4_096;

class OverTime extends Error {}

const overTime = new OverTime("the work takes longer than it may on the event loop");

let ticks = ticksPerLook;
let deadlineMs = Number.POSITIVE_INFINITY;

class OverWork extends Error {}

const overWork = new OverWork("the work takes more units than it may");

let unitsLeft = Number.POSITIVE_INFINITY;

/** The result of the work; undefined when it takes longer. The work must have no effects. */
export function withinInlineTime<T extends object>(ms: number, work: () => T): T | undefined {
  ticks = ticksPerLook;
  deadlineMs = performance.now() + ms;
  try {
    return work();
  } catch (error) {
    if (error === overTime) return undefined;
    throw error;
  } finally {
    deadlineMs = Number.POSITIVE_INFINITY;
  }
}

/**
 * The result of the work and the units that it took; undefined when it takes more. Unlike a time,
 * units are the same on every machine. The work must have no effects.
 */
export function withinUnits<T>(
  units: number,
  work: () => T,
): { readonly result: T; readonly units: number } | undefined {
  ticks = ticksPerLook;
  unitsLeft = units;
  try {
    const result = work();
    const left = unitsLeft - (ticksPerLook - ticks);
    return left < 0 ? undefined : { result, units: units - left };
  } catch (error) {
    if (error === overWork) return undefined;
    throw error;
  } finally {
    unitsLeft = Number.POSITIVE_INFINITY;
  }
}

/** Counts work, in units of some dozen nanoseconds. */
export function tick(amount = 1): void {
  ticks -= amount;
  if (ticks <= 0) look();
}

function look(): void {
  unitsLeft -= ticksPerLook - ticks;
  ticks = ticksPerLook;
  if (unitsLeft <= 0) throw overWork;
  if (deadlineMs !== Number.POSITIVE_INFINITY && performance.now() > deadlineMs) throw overTime;
}
