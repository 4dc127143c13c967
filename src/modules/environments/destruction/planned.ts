// The planned destruction of an Environment: reminders before its date, then the destruction, or a
// report that the date has passed. A date that passed while no server ran is announced first.

import { timeText } from "../../../kernel/clock.ts";
import { isTrueAt, listAt, objectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import { changeEnvironment } from "../environment/run.ts";
import type { EnvironmentRun } from "../environment/run.ts";
import { decideDestruction, isStillPlanned } from "./decide.ts";

export type Planned =
  | { readonly kind: "waiting"; readonly againMs: number | undefined }
  /** The spec has changed: the run ends, and the next one destroys. */
  | { readonly kind: "changed"; readonly againMs: undefined };

export async function planDestruction(run: EnvironmentRun): Promise<Planned> {
  const { resource, context, ports } = run;
  const planned = objectAt(resource.spec, "plannedDestruction");
  const isDestroyed = textAt(resource.spec, "desired") === "Destroyed";
  if (textAt(planned, "at") === "" || isDestroyed) return { kind: "waiting", againMs: undefined };
  const nowMs = context.clock.nowMs();
  const announced = textAt(resource.status, "overdueAnnouncedAt");
  const reminders = listAt(planned, "remindSeconds").map(Number);
  const step = decideDestruction({
    dueMs: Date.parse(textAt(planned, "at")),
    nowMs,
    onDue: textAt(planned, "onDue") === "Keep" ? "Keep" : "Destroy",
    isProtected: isTrueAt(resource.spec, "protected"),
    remindSeconds: reminders.length === 0 ? undefined : reminders,
    reminded: textsAt(resource.status, "reminders").map((at) => Date.parse(at)),
    announcedMs: announced === "" ? undefined : Date.parse(announced),
    graceMs: ports.configuration.overdueGraceSeconds * 1_000,
  });
  switch (step.kind) {
    case "wait":
      return { kind: "waiting", againMs: step.againMs };
    case "remind": {
      const at = textAt(planned, "at");
      context.event("Normal", "DestructionReminder", `the Environment is destroyed at ${at}`);
      const sent = [...textsAt(resource.status, "reminders"), timeText(step.reminderMs)];
      await context.status.patch({ reminders: sent.slice(-10) });
      return { kind: "waiting", againMs: 1 };
    }
    case "report":
      return await report(run, step.reason, nowMs);
    case "announce": {
      const seconds = ports.configuration.overdueGraceSeconds;
      const message = `the date of destruction has passed; it begins in ${seconds} s`;
      context.event("Warning", "DestructionOverdue", message);
      await context.status.patch({ overdueAnnouncedAt: timeText(nowMs) });
      return { kind: "waiting", againMs: ports.configuration.overdueGraceSeconds * 1_000 };
    }
    default: {
      const delayMs = step.isOverdue ? ports.pace.take(nowMs) : 0;
      if (delayMs > 0) return { kind: "waiting", againMs: delayMs };
      context.event("Normal", "DestructionDue", "the date of planned destruction has come");
      await changeEnvironment(run, (old) => {
        const spec = objectAt(old, "spec");
        // The next run decides again.
        if (!isStillPlanned(spec, planned)) return old;
        return { ...old, spec: { ...spec, desired: "Destroyed" } };
      });
      return { kind: "changed", againMs: undefined };
    }
  }
}

/** Once for each date: the note is kept among the reminders. */
async function report(run: EnvironmentRun, reason: string, nowMs: number): Promise<Planned> {
  const { resource, context } = run;
  const message =
    reason === "DestructionSkipped"
      ? "the date of planned destruction has passed, and the Environment is protected"
      : "the date of planned destruction has passed, and the Environment is kept";
  context.event("Normal", reason, message);
  const sent = [...textsAt(resource.status, "reminders"), timeText(nowMs)];
  await context.status.patch({ reminders: sent.slice(-10) });
  return { kind: "waiting", againMs: undefined };
}
