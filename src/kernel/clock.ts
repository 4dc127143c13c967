// The port through which everything learns the time, so that the simulator can own it.
// `manualClock` only moves when told to; tests and the simulator see the same times on each run.

export interface Clock {
  /** Milliseconds since the Unix epoch. May jump, as wall clocks do. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

export interface ManualClock extends Clock {
  /** Moves to an absolute time; backwards is allowed, because wall clocks do that too. */
  setMs(ms: number): void;
  advanceMs(ms: number): void;
}

export function manualClock(startMs: number = Date.UTC(2026, 0, 1)): ManualClock {
  let now = startMs;
  return {
    nowMs: () => now,
    setMs: (ms) => {
      now = ms;
    },
    advanceMs: (ms) => {
      now += ms;
    },
  };
}

/** The text form of a time in metadata and conditions: UTC, whole seconds, as Kubernetes has it. */
export function timeText(ms: number): string {
  const second = Math.floor(ms / 1_000);
  // Thousands of documents are made in the same second.
  if (second !== lastSecond) {
    lastText = `${new Date(second * 1_000).toISOString().slice(0, 19)}Z`;
    lastSecond = second;
  }
  return lastText;
}

let lastSecond = Number.NaN;
let lastText = "";
