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
