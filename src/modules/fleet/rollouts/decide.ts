// The next step of a Rollout, from facts alone. The reconciler performs one step, reads the facts
// again and decides again, so it may stop anywhere. Pure.

import { fleetLimits } from "../limits.ts";
import { gateProblem } from "./gates.ts";
import type { Member } from "./member.ts";
import { hasEnded } from "./phases.ts";
import type { RolloutPhase } from "./phases.ts";
import type { Rollout, Wave } from "./rollout.ts";
import type { Survey } from "./survey.ts";

export interface RolloutState {
  readonly rollout: Rollout;
  /** Of a rollback, while the Rollout rolls back: see isRollingBack. */
  readonly survey: Survey;
  readonly nowMs: number;
}

export type RolloutStep =
  /** Sets the versions of these instances. */
  | { readonly kind: "update"; readonly members: readonly Member[] }
  /** Returns these instances to the versions that they had. */
  | { readonly kind: "revert"; readonly members: readonly Member[] }
  /** Only what is known about the Rollout changes. */
  | Move
  | Rest;

export interface Move {
  readonly kind: "move";
  readonly phase: RolloutPhase;
  readonly wave: number;
  readonly waveDoneAtMs: number | undefined;
  readonly pausedGeneration: number | undefined;
  /** For the history, the events and the log. */
  readonly event: string;
  readonly message: string;
}

/** Nothing to do before an instance or the spec changes, or until `againMs`. */
export interface Rest {
  readonly kind: "rest";
  readonly reason: string;
  readonly message: string;
  readonly againMs?: number;
}

export function isRollingBack({ action, progress }: Rollout): boolean {
  if (hasEnded(progress.phase)) return progress.phase === "rolledBack";
  return action === "rollback" || progress.phase === "rollingBack";
}

export function decideRollout(state: RolloutState): RolloutStep {
  const { rollout } = state;
  const { phase, pausedGeneration } = rollout.progress;
  if (hasEnded(phase)) return ended(phase);
  if (rollout.action === "abort") {
    return moved(rollout, { phase: "aborted", event: "Aborted", message: "by spec.action" });
  }
  if (isRollingBack(rollout)) return rollBack(state);
  if (phase === "paused") {
    if (rollout.generation <= (pausedGeneration ?? 0) || rollout.action === "pause") return paused;
    const message = "the spec has changed";
    return moved(rollout, {
      phase: "progressing",
      pausedGeneration: undefined,
      event: "Resumed",
      message,
    });
  }
  const problem = gateProblem({
    gates: rollout.gates,
    counts: state.survey.counts,
    wave: rollout.progress.wave,
  });
  if (problem !== undefined) return gateFailed(rollout, problem);
  if (rollout.action === "pause") return pausedByUser;
  return advance(state);
}

function ended(phase: RolloutPhase): Rest {
  return { kind: "rest", reason: reasons[phase] ?? phase, message: "" };
}

const reasons: Readonly<Partial<Record<RolloutPhase, string>>> = {
  completed: "Completed",
  rolledBack: "RolledBack",
  aborted: "Aborted",
};

const paused: Rest = {
  kind: "rest",
  reason: "GateFailed",
  message: "a gate failed: change the spec to continue, or set spec.action to rollback or abort",
};

const pausedByUser: Rest = {
  kind: "rest",
  reason: "Paused",
  message: "spec.action is pause: set it to run to continue",
};

function gateFailed(rollout: Rollout, message: string): Move {
  if (rollout.onFailure === "rollback") {
    return moved(rollout, { phase: "rollingBack", event: "RollbackStarted", message });
  }
  const pausedGeneration = rollout.generation;
  return moved(rollout, { phase: "paused", pausedGeneration, event: "GateFailed", message });
}

/** The wave fills up, then its instances settle, then it soaks, then the next wave begins. */
function advance(state: RolloutState): RolloutStep {
  const { rollout, survey, nowMs } = state;
  const { wave, waveDoneAtMs } = rollout.progress;
  const { counts, pending } = survey;
  const settings = waveAt(rollout, wave);
  const missing = targetOf(rollout, counts.total) - counts.updated;
  if (waveDoneAtMs !== undefined && (missing > 0 || counts.updating > 0)) {
    // The soak time starts again when all instances are settled again.
    const message = `wave ${wave} of ${rollout.waves.length}`;
    const phase = "progressing";
    return moved(rollout, { phase, waveDoneAtMs: undefined, event: "WaveReopened", message });
  }
  const room = settings.maxUnavailable - counts.updating;
  const batch = Math.min(missing, room, fleetLimits.maxRolloutBatch);
  if (batch > 0 && pending.length > 0) {
    return { kind: "update", members: pending.slice(0, batch) };
  }
  if (missing > 0 || counts.updating > 0) return updating(state, missing);
  if (waveDoneAtMs === undefined) {
    const message = `wave ${wave} of ${rollout.waves.length}: ${counts.updated} of ${counts.total}`;
    const phase = "progressing";
    return moved(rollout, { phase, waveDoneAtMs: nowMs, event: "WaveUpdated", message });
  }
  const soakedAtMs = waveDoneAtMs + settings.soakMs;
  if (nowMs < soakedAtMs) {
    const message = `wave ${wave} of ${rollout.waves.length} must stay healthy`;
    return { kind: "rest", reason: "Soaking", message, againMs: soakedAtMs - nowMs };
  }
  return waveEnded(state);
}

function waveEnded({ rollout, survey }: RolloutState): Move {
  const { wave } = rollout.progress;
  if (wave >= rollout.waves.length) {
    const { healthy, total } = survey.counts;
    const message = `${healthy} of ${total} instances run the versions`;
    return moved(rollout, { phase: "completed", event: "Completed", message });
  }
  const message = `wave ${wave + 1} of ${rollout.waves.length}`;
  return moved(rollout, {
    phase: "progressing",
    wave: wave + 1,
    waveDoneAtMs: undefined,
    event: "WaveStarted",
    message,
  });
}

function updating({ survey, nowMs }: RolloutState, missing: number): Rest {
  const { counts, nextFailureMs, waitingFor } = survey;
  const rest = nextFailureMs === undefined ? {} : { againMs: Math.max(1, nextFailureMs - nowMs) };
  if (counts.updating > 0) {
    const message = `${counts.updating} instances are being updated, ${counts.failed} failed`;
    return { kind: "rest", reason: "Updating", message, ...rest };
  }
  const [first] = waitingFor;
  const why = first === undefined ? "" : `: ${first.reason} (${first.instances})`;
  const noun = missing === 1 ? "instance" : "instances";
  const message = `${missing} ${noun} cannot be updated at present${why}`;
  return { kind: "rest", reason: "Waiting", message, ...rest };
}

function rollBack({ rollout, survey, nowMs }: RolloutState): RolloutStep {
  const { phase, wave } = rollout.progress;
  if (phase !== "rollingBack") {
    const message = "by spec.action";
    return moved(rollout, { phase: "rollingBack", event: "RollbackStarted", message });
  }
  const { counts, pending, nextFailureMs, reverted } = survey;
  // Instances that do not work are reverted at once. The others keep to the limit of the wave.
  const broken = pending.filter((member) => member.phase !== "ready");
  const room = Math.max(0, waveAt(rollout, wave).maxUnavailable - counts.updating);
  const batch = Math.min(Math.max(broken.length, room), fleetLimits.maxRolloutBatch);
  if (batch > 0 && pending.length > 0) return { kind: "revert", members: pending.slice(0, batch) };
  if (pending.length > 0 || counts.updating > 0) {
    const message = `${reverted} instances are reverted, ${pending.length} are left`;
    const againMs = Math.max(1, (nextFailureMs ?? nowMs) - nowMs);
    return { kind: "rest", reason: "RollingBack", message, againMs };
  }
  const message = `${reverted} instances have their earlier versions`;
  return moved(rollout, { phase: "rolledBack", event: "RolledBack", message });
}

/** The spec may have fewer waves than before: the last one is the current one then. */
function waveAt({ waves }: Rollout, wave: number): Wave {
  return waves[Math.min(wave, waves.length) - 1] ?? lastWave;
}

const lastWave: Wave = { percent: 100, count: undefined, maxUnavailable: 1, soakMs: 0 };

/** Instances that have the versions after the current wave: never fewer than after an earlier. */
export function targetOf({ waves, progress }: Rollout, total: number): number {
  const targets = waves.slice(0, progress.wave).map(({ percent, count }) => {
    if (count !== undefined) return Math.min(count, total);
    return Math.ceil(((percent ?? 100) * total) / 100);
  });
  return Math.max(0, ...targets);
}

function moved(
  { progress }: Rollout,
  change: Partial<Move> & Pick<Move, "phase" | "event" | "message">,
): Move {
  const { wave, waveDoneAtMs, pausedGeneration } = progress;
  return { kind: "move", wave, waveDoneAtMs, pausedGeneration, ...change };
}
