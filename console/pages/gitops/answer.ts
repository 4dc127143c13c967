// The first sentence of the page of a deployment: what is wrong, what waits, or that all is well.

import { pinOf } from "../../actions/gitops-actions.ts";
import type { Deployment } from "../../api/gitops.ts";
import { shortCommit } from "../../format/commit.ts";
import { plural } from "../../format/number.ts";
import type { Tone } from "../../states/states.ts";

export interface Answer {
  readonly tone: Tone;
  readonly title: string;
  readonly text?: string;
}

export function answerOf(deployment: Deployment): Answer {
  return (
    problemOf(deployment) ??
    heldOf(deployment) ??
    runningOf(deployment) ??
    failureOf(deployment) ??
    differenceOf(deployment) ??
    wellOf(deployment)
  );
}

/** In place of objects with a problem, when there are none: the deployment may have one. */
export function noProblemText(deployment: Deployment): string {
  const { tone, title, text = "" } = answerOf(deployment);
  if (tone === "ready") return "Every object is as in git and works.";
  const count = deployment.status?.resources?.length ?? 0;
  const objects =
    count === 0 ? "No object is listed." : "No listed object has a problem of its own.";
  return `${objects} ${title}. ${text}`.trim();
}

/** It repeats a condition that says more. */
const general = "ErrorOccurred";

function problemOf({ status = {} }: Deployment): Answer | undefined {
  const problems = (status.conditions ?? []).filter((each) => each.status === "True");
  const found =
    problems.find(({ type }) => type.endsWith("Error")) ??
    problems.find(({ type }) => type === general);
  if (found !== undefined) {
    const { reason = found.type, message = "" } = found;
    return { tone: "failed", title: `Not synced: ${reason}`, text: message };
  }
  const { status: health, message } = status.health ?? {};
  if (health === "Degraded") {
    const text = message ?? "An object of the target is not healthy.";
    return { tone: "failed", title: "Degraded: an object does not work", text };
  }
  return undefined;
}

function heldOf(deployment: Deployment): Answer | undefined {
  const { status = {}, spec } = deployment;
  const held = status.prune;
  if (held !== undefined && held.hash !== spec.syncPolicy?.confirmPrune) {
    const count = plural(held.objects ?? 0, "object");
    const total = status.summary?.objects ?? 0;
    return {
      tone: "waiting",
      title: `A sync would delete ${count} of ${total}. Confirm first`,
      text: "They are not in the repository any more. Until then they stay as they are.",
    };
  }
  const [waiting] = status.waitingFor ?? [];
  if (waiting !== undefined) {
    return {
      tone: "waiting",
      title: `Waits for ${waiting.name}`,
      ...(waiting.message === undefined ? {} : { text: waiting.message }),
    };
  }
  const { window } = status;
  if (window !== undefined && window !== "" && status.sync?.status !== "Synced") {
    return { tone: "waiting", title: "Waits for a sync window", text: window };
  }
  return undefined;
}

function runningOf({ status = {} }: Deployment): Answer | undefined {
  const { phase, step, message } = status.operationState ?? {};
  if (phase !== "Running") return undefined;
  const done = step?.of === undefined ? "" : `, ${step.done ?? 0} of ${step.of} objects`;
  const wave = step?.wave === undefined ? "" : `, wave ${step.wave}`;
  return {
    tone: "progressing",
    title: `Syncing${wave}${done}`,
    ...(message === undefined || message === "" ? {} : { text: message }),
  };
}

function failureOf({ status = {} }: Deployment): Answer | undefined {
  const { phase, message = "" } = status.operationState ?? {};
  if (phase !== "Failed" && phase !== "Error") return undefined;
  const title = "The last sync failed";
  return message === "" ? { tone: "failed", title } : { tone: "failed", title, text: message };
}

function differenceOf(deployment: Deployment): Answer | undefined {
  const { status = {}, spec } = deployment;
  const pin = pinOf(deployment);
  if (pin !== undefined) {
    const because = spec.pin?.reason === undefined ? "" : ` ${spec.pin.reason}`;
    const title = `Rolled back: it keeps ${shortCommit(pin)}`;
    const text = `A newer commit of the repository ends this, or the action End the pin.${because}`;
    return { tone: "paused", title, text };
  }
  if (status.sync?.status === "OutOfSync") {
    const count = status.summary?.outOfSync ?? 0;
    const title = `${plural(count, "object differs", "objects differ")} from the commit`;
    const text =
      spec.type === "manual"
        ? "The deployment is manual: Sync now applies the commit."
        : "A sync applies the commit.";
    return { tone: "drifted", title, text };
  }
  return undefined;
}

function wellOf({ status = {} }: Deployment): Answer {
  const { sync, health, summary } = status;
  if (sync?.status !== "Synced") {
    return {
      tone: "unknown",
      title: "Not compared yet",
      text: "The repository has not been read since the deployment was created.",
    };
  }
  const objects = plural(summary?.objects ?? 0, "object");
  const at = shortCommit(sync.revision ?? "");
  if (health?.status === "Progressing") {
    return {
      tone: "progressing",
      title: `${objects} as in ${at}; not all are healthy yet`,
      ...(health.message === undefined ? {} : { text: health.message }),
    };
  }
  return { tone: "ready", title: `${objects}, all as in ${at}` };
}
