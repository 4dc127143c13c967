// Why no cluster of a region can host an instance, in one sentence of bounded length.

import { shortText } from "../../../kernel/short-text.ts";
import { fleetLimits } from "../limits.ts";
import type { Instance } from "./instance.ts";

/** What is against a cluster: "is not schedulable". */
export interface Against {
  readonly cluster: string;
  readonly reason: string;
}

const mostReasons = 3;
const maxChars = fleetLimits.maxReportMessageChars;

export function noClusterMessage(
  { provider, region }: Pick<Instance, "provider" | "region">,
  clusters: number,
  against: readonly Against[],
): string {
  const where = `${provider} ${region}`;
  if (clusters === 0) return `there is no cluster in ${where}`;
  const [first] = against;
  const isOnly = clusters === 1;
  const none = isOnly
    ? `the only cluster in ${where} cannot host the instance`
    : `none of the ${clusters} clusters in ${where} can host the instance`;
  if (first === undefined) return none;
  return shortText(`${none}: ${isOnly ? sentence(first) : counted(against)}`, maxChars);
}

function sentence({ cluster, reason }: Against): string {
  // Reasons without a subject are about the cluster.
  const hasSubject = /^(?:its|the) /.test(reason);
  return `${cluster}${hasSubject ? ":" : ""} ${reason}`;
}

/** The most frequent first. Numbers of single clusters are left out. */
function counted(against: readonly Against[]): string {
  const counts = new Map<string, number>();
  for (const { reason } of against) {
    const short = /^is full\b/.test(reason) ? reason.replace(/:.*$/s, "") : reason;
    counts.set(short, (counts.get(short) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  const shown = sorted.slice(0, mostReasons).map(([reason, count]) => `${count} × ${reason}`);
  const more = sorted.length - shown.length;
  return `${shown.join("; ")}${more > 0 ? `; and ${more} other reasons` : ""}`;
}
