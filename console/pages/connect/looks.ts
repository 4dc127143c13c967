// How connections, rules and plans look.

import type { RequestPlan } from "../../api/connect.ts";
import type { Condition, Metadata } from "../../api/types.ts";
import type { Look } from "../../states/states.ts";
import { plural } from "../../format/number.ts";

interface WithStatus {
  readonly metadata: Metadata;
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export function conditionOf({ status }: WithStatus, type: string): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** Before the first request, it is not known whether the service answers. */
export function connectionLook(connection: WithStatus): Look {
  if (connection.metadata.deletionTimestamp !== undefined) {
    return { tone: "deleting", word: "Deleting" };
  }
  const ready = conditionOf(connection, "Ready");
  if (ready?.status === "True") return { tone: "ready", word: "Answers" };
  if (ready?.status === "False") return { tone: "failed", word: "Failed" };
  return { tone: "unknown", word: "Not used yet" };
}

export function restKindLook(restKind: WithStatus): Look {
  const accepted = conditionOf(restKind, "Accepted");
  if (accepted?.status === "True") return { tone: "ready", word: "In force" };
  if (accepted?.reason === "Deleting") return { tone: "deleting", word: "Deleting" };
  if (accepted?.status === "False") return { tone: "failed", word: accepted.reason ?? "Refused" };
  return { tone: "progressing", word: "Not checked yet" };
}

const plans: Readonly<Record<RequestPlan["action"], Look>> = {
  nothing: { tone: "ready", word: "Nothing to do" },
  create: { tone: "progressing", word: "Create" },
  update: { tone: "progressing", word: "Update" },
  replace: { tone: "drifted", word: "Replace" },
  delete: { tone: "deleting", word: "Delete" },
  wait: { tone: "waiting", word: "Wait" },
  refuse: { tone: "failed", word: "Refused" },
};

export function planLook(action: RequestPlan["action"]): Look {
  return plans[action] ?? { tone: "unknown", word: action };
}

/** What fails comes first, then by name. */
export function sorted<T extends WithStatus>(connections: readonly T[]): readonly T[] {
  const rank = (connection: T): number => (connectionLook(connection).tone === "failed" ? 0 : 1);
  return [...connections].sort(
    (one, other) => rank(one) - rank(other) || one.metadata.name.localeCompare(other.metadata.name),
  );
}

/** "1 of 3 services does not answer" */
export function headlineOf(connections: readonly WithStatus[]): string {
  const failed = connections.filter((each) => connectionLook(each).tone === "failed").length;
  const total = connections.length;
  if (failed === 0) return plural(total, "connection");
  const verb = failed === 1 ? "does" : "do";
  return `${failed} of ${plural(total, "service")} ${verb} not answer`;
}

const sources: Readonly<Record<string, string>> = {
  annotation: "stated by the document",
  difference: "from where it occurs",
  example: "from examples",
  name: "guessed from its name",
  override: "set by a user",
};

/** Where the class of a field comes from, and how sure that is. */
export function sourceText(from: string, confidence: number | undefined): string {
  const text = sources[from] ?? from;
  return confidence === undefined ? text : `${text}, ${Math.round(confidence * 100)} %`;
}
