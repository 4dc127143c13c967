// The Rollouts that have not ended, as this process knows them.

import type { LiveView } from "../../../intents/live-view.ts";
import type { ResourceKey } from "../../../kernel/resource.ts";
import { rolloutsKind } from "../names.ts";
import { hasEnded } from "./phases.ts";
import { readRollout } from "./rollout.ts";
import type { Rollout } from "./rollout.ts";

export interface RunningRollout {
  readonly key: ResourceKey;
  readonly rollout: Rollout;
}

export function* runningRollouts(live: Pick<LiveView, "all">): Generator<RunningRollout> {
  for (const { key, resource } of live.all(rolloutsKind)) {
    const rollout = readRollout(resource);
    if (!hasEnded(rollout.progress.phase)) yield { key, rollout };
  }
}
