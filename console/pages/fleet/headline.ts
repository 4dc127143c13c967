// The first sentence of the pages of the fleet.

import type { Cluster, Instance, Rollout } from "../../api/fleet.ts";
import type { ResourceState } from "../../api/types.ts";
import { plural } from "../../format/number.ts";
import type { Tone } from "../../states/states.ts";
import { clusterLook, instanceLook, rolloutLook } from "./looks.ts";

export function clustersHeadline(clusters: readonly Cluster[]): string {
  if (clusters.length === 0) return "Fleet";
  const looks = clusters.map(clusterLook);
  const failed = looks.filter(({ tone }) => tone === "failed").length;
  const waiting = looks.filter(({ tone }) => tone === "waiting").length;
  const all = plural(clusters.length, "cluster");
  const parts = [
    ...(failed > 0 ? [`${failed} of ${all} failed`] : []),
    ...(waiting > 0
      ? [failed > 0 ? plural(waiting, "waits", "wait") : `${waiting} of ${all} not ready`]
      : []),
  ];
  return parts.length === 0 ? `${all}, none failed` : parts.join("; ");
}

export function rolloutsHeadline(rollouts: readonly Rollout[]): string {
  const count = (tone: Tone): number =>
    rollouts.filter((each) => rolloutLook(each).tone === tone).length;
  const held = count("failed");
  const running = count("progressing") + count("deleting");
  if (held > 0) return `${plural(held, "rollout")} stopped at a gate`;
  if (running > 0) return `${plural(running, "rollout")} in progress`;
  return rollouts.length === 0 ? "No rollouts" : `${plural(rollouts.length, "rollout")}, none runs`;
}

type States = Readonly<Partial<Record<ResourceState, number>>>;

export function instancesHeadline(kind: string, states: States | undefined, total: number): string {
  const wrong = (states?.Failed ?? 0) + (states?.NotReady ?? 0);
  const word = total === 1 ? kind : `${kind}s`;
  if (wrong === 0) return `${plural(total, word, word)}, none failed`;
  return `${wrong} of ${plural(total, word, word)} not ready`;
}

export interface Answer {
  readonly tone: Tone;
  readonly title: string;
  readonly text?: string | undefined;
}

/** What is in the way of an instance; undefined when it is as wanted. */
export function instanceAnswer({ metadata, spec, status = {} }: Instance): Answer | undefined {
  const { phase, failedReason, placement } = status;
  const ready = status.conditions?.find(({ type }) => type === "Ready");
  const { tone } = instanceLook(phase);
  if (metadata.deletionTimestamp !== undefined) {
    return { tone: "deleting", title: "It is being deleted", text: ready?.message };
  }
  if (phase === "failed") return { tone, title: failedReason ?? "It failed" };
  if (spec.suspension !== undefined) {
    const title = "Suspended by an administrator";
    return { tone: "paused", title, text: spec.suspension.reason };
  }
  if (phase === "suspended" || phase === "suspending") {
    return { tone, title: suspendedTitle(status), text: spec.expiryReason };
  }
  if (phase === "accepted" && placement?.cluster === undefined) {
    return { tone, title: "It has no cluster yet", text: ready?.message };
  }
  return phase === "ready" ? undefined : { tone, title: "In progress", text: ready?.message };
}

function suspendedTitle({ expiredAt, deniedAt }: NonNullable<Instance["status"]>): string {
  if (deniedAt !== undefined) return "Suspended: its owner or organisation is denied";
  return expiredAt === undefined ? "Suspended" : "Suspended: it has expired";
}

export function rolloutAnswer(rollout: Rollout): Answer | undefined {
  const { status = {}, spec } = rollout;
  const { tone } = rolloutLook(rollout);
  const ready = status.conditions?.find(({ type }) => type === "Ready");
  const last = status.history?.findLast(({ event }) => event === "GateFailed");
  if (status.phase === "paused") {
    const title = `The gate of wave ${status.wave ?? 1} failed`;
    return { tone, title, text: last?.message };
  }
  if (status.phase === "rollingBack") {
    return { tone, title: "It returns to the earlier versions", text: ready?.message };
  }
  if (status.phase !== "progressing") return undefined;
  if (spec.action === "pause") return { tone, title: "Paused: no further instance is updated" };
  const title = `Wave ${status.wave ?? 1} of ${spec.waves.length}`;
  return { tone, title, text: ready?.message };
}
