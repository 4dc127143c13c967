// The parts of the status of a Rollout that follow from its instances. Pure.

import type { JsonObject } from "../../../kernel/json.ts";
import type { Rollout } from "./rollout.ts";
import type { Survey } from "./survey.ts";

export function rolloutStatus(rollout: Rollout, seen: Survey): JsonObject {
  const { counts, reverted, waitingFor, failures } = seen;
  const { phase, wave } = rollout.progress;
  return {
    phase,
    wave,
    waves: rollout.waves.length,
    ...counts,
    reverted,
    waitingFor: waitingFor.map(({ reason, instances }) => ({ reason, instances })),
    failures: failures.map(({ member, reason }) => ({
      id: member.id,
      namespace: member.key.namespace,
      name: member.key.name,
      reason,
    })),
  };
}
