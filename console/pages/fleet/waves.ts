// How far the waves of a rollout are, from its spec and status.

import type { Rollout } from "../../api/fleet.ts";
import type { Look } from "../../states/states.ts";
import { rolloutLook } from "./looks.ts";

export interface WaveProgress {
  readonly number: number;
  readonly look: Look;
  /** Instances that have the versions after the wave. */
  readonly target: number;
  readonly updated: number;
  readonly isCurrent: boolean;
}

export function wavesOf(rollout: Rollout): readonly WaveProgress[] {
  const { spec, status = {} } = rollout;
  const { wave: current = 1, total = 0, updated = 0, phase } = status;
  let before = 0;
  return spec.waves.map(({ count, percent = 100 }, index) => {
    const own = count === undefined ? Math.ceil((percent * total) / 100) : Math.min(count, total);
    // A later wave never has fewer instances than an earlier one.
    const target = Math.max(before, own);
    before = target;
    const number = index + 1;
    const isCurrent = number === current && phase !== "completed";
    const isDone = phase === "completed" || number < current;
    return { number, look: lookOf(rollout, isDone, isCurrent), target, updated, isCurrent };
  });
}

function lookOf(rollout: Rollout, isDone: boolean, isCurrent: boolean): Look {
  if (isDone) return { tone: "ready", word: "Done" };
  if (!isCurrent) return { tone: "unknown", word: "Not started" };
  const { waveDoneAt, phase } = rollout.status ?? {};
  const look = rolloutLook(rollout);
  const isSoaking =
    phase === "progressing" && look.tone === "progressing" && waveDoneAt !== undefined;
  return isSoaking ? { tone: "waiting", word: "Soaking" } : look;
}
