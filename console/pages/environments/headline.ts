// The first sentence of the pages of environments.

import type { Environment } from "../../api/environments.ts";
import { plural } from "../../format/number.ts";

export function listHeadline(environments: readonly Environment[]): string {
  const count = (phase: string): number =>
    environments.filter(({ status }) => status?.phase === phase).length;
  const failed = count("DeployedFail");
  const changing = count("Deploying") + count("Destroying");
  const live = environments.length - count("Destroyed");
  const parts = [
    ...(failed > 0 ? [`${failed} of ${plural(live, "environment")} failed`] : []),
    ...(changing > 0 ? [`${plural(changing, "is", "are")} changing`] : []),
  ];
  if (parts.length === 0) return `${plural(live, "environment")}, all as planned`;
  return parts.join("; ");
}

/** What the environment does now, and what is in its way. */
export function progressText({ status }: Environment): string {
  const { resources = {}, reason = "", message = "" } = status ?? {};
  const { total = 0, ready = 0, failed = 0 } = resources;
  const done = `${ready} of ${plural(total, "resource")} ready`;
  const problems = failed > 0 ? `, ${failed} failed` : "";
  const why = message !== "" ? message : reason === "Deployed" ? "" : reason;
  return why === "" ? `${done}${problems}.` : `${done}${problems}. ${why}`;
}

/** The first failure, with what caused it; others wait for it, or have causes of their own. */
export function failureOf({ status }: Environment): Failure | undefined {
  const [first, ...others] = status?.failures ?? [];
  if (first === undefined || status?.phase === "Destroyed") return undefined;
  const { resource = "", reason = "", message = "" } = first;
  const more = others.length === 0 ? "" : ` ${plural(others.length, "other resource")} failed.`;
  const title = [resource, reason].filter((each) => each !== "").join(": ");
  return { resource, title, text: `${message === "" ? "" : `${message}.`}${more}`.trim() };
}

export interface Failure {
  /** The name of its record, which is the id of its node in the graph. */
  readonly resource: string;
  readonly title: string;
  readonly text: string;
}

/** Why the resource of the node failed. */
export function messageOf({ status }: Environment, node: string): string {
  return (status?.failures ?? []).find(({ resource }) => resource === node)?.message ?? "";
}
