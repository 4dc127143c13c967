// What can be done with any resource. Annotations steer the engine: see docs/reference/engine.md.

import { kube } from "../api/kube.ts";
import { navigate } from "../router/location.ts";
import { paths } from "../paths.ts";
import { kubectlName, titleOf } from "./action.ts";
import type { Action, Subject } from "./action.ts";

const annotation = {
  paused: "setpoint.dev/paused",
  request: "setpoint.dev/reconcile",
  protected: "setpoint.dev/deletion-protection",
} as const;

async function annotate(subject: Subject, name: string, value: string | null): Promise<void> {
  await kube.merge(subject.kind, subject, { metadata: { annotations: { [name]: value } } });
}

function flagged(subject: Subject): string {
  const place = subject.namespace === "" ? "" : ` -n ${subject.namespace}`;
  return `${subject.kind.singular}/${subject.name}${place}`;
}

export const resourceActions: readonly Action[] = [
  {
    id: "reconcile",
    label: "Reconcile now",
    key: "R",
    isForMany: true,
    isMain: true,
    needs: { verb: "patch" },
    fits: ({ state }) => state !== "Stored",
    off: ({ isPaused }) => (isPaused === true ? "Paused. Resume first." : undefined),
    perform: async (subject) => {
      await annotate(subject, annotation.request, crypto.randomUUID());
      return `${titleOf(subject)} is reconciled now.`;
    },
    command: (subject) => `setpoint reconcile ${flagged(subject)}`,
  },
  {
    id: "pause",
    label: "Pause",
    key: "P",
    isForMany: true,
    needs: { verb: "patch" },
    fits: ({ isPaused, state }) => isPaused !== true && state !== "Paused" && state !== "Stored",
    perform: async (subject) => {
      await annotate(subject, annotation.paused, "true");
      return `${titleOf(subject)} is paused. Nothing runs for it, not even deletion.`;
    },
    command: (subject) => `kubectl annotate ${kubectlName(subject)} ${annotation.paused}=true`,
  },
  {
    id: "resume",
    label: "Resume",
    key: "P",
    isForMany: true,
    isMain: true,
    needs: { verb: "patch" },
    fits: ({ isPaused, state }) =>
      isPaused === true || (isPaused === undefined && state === "Paused"),
    perform: async (subject) => {
      await annotate(subject, annotation.paused, null);
      return `${titleOf(subject)} is resumed.`;
    },
    command: (subject) => `kubectl annotate ${kubectlName(subject)} ${annotation.paused}-`,
  },
  {
    id: "edit",
    label: "Edit YAML",
    key: "E",
    needs: { verb: "update" },
    perform: async ({ kind, namespace, name }) => {
      navigate(paths.resource({ kind: kind.id, namespace, name }, "yaml"));
      return "";
    },
    command: (subject) => `kubectl edit ${kubectlName(subject)}`,
  },
  {
    id: "protect",
    label: "Protect from deletion",
    isForMany: true,
    needs: { verb: "patch" },
    fits: ({ isProtected }) => isProtected !== true,
    perform: async (subject) => {
      await annotate(subject, annotation.protected, "true");
      return `${titleOf(subject)} is protected from deletion.`;
    },
    command: (subject) => `kubectl annotate ${kubectlName(subject)} ${annotation.protected}=true`,
  },
  {
    id: "unprotect",
    label: "Allow deletion",
    needs: { verb: "patch" },
    fits: ({ isProtected }) => isProtected === true,
    perform: async (subject) => {
      await annotate(subject, annotation.protected, null);
      return `${titleOf(subject)} may be deleted.`;
    },
    command: (subject) => `kubectl annotate ${kubectlName(subject)} ${annotation.protected}-`,
  },
  {
    id: "delete",
    label: "Delete",
    isForMany: true,
    isDanger: true,
    needs: { verb: "delete" },
    off: ({ isProtected, isDeleting }) => {
      if (isProtected === true) return "Protected from deletion. Allow deletion first.";
      return isDeleting === true ? "It is being deleted." : undefined;
    },
    confirm: async (subjects) => {
      const { deletionImpact } = await import("./deletion-impact.ts");
      return await deletionImpact(subjects);
    },
    perform: async (subject) => {
      await kube.delete(subject.kind, subject, subject.uid);
      return `${titleOf(subject)} is being deleted.`;
    },
    command: (subject) => `kubectl delete ${kubectlName(subject)}`,
  },
];
