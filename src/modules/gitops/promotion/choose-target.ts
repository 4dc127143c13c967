/** Which DeploymentTargets a claim may take, the best first. Pure. */
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";

export interface TargetHolder {
  readonly name: string;
  readonly uid: string;
}

export function claimOf({ status }: Resource): TargetHolder | undefined {
  const uid = textAt(status, "claim", "uid");
  return uid === "" ? undefined : { name: textAt(status, "claim", "name"), uid };
}

/** A target for this claim comes first, and one that it has taken before it could note that. */
export function candidatesFor(claim: Resource, targets: readonly Resource[]): readonly Resource[] {
  const { name, uid } = claim.metadata;
  const wanted = textAt(claim.spec, "targetName");
  const rank = (target: Resource): number =>
    claimOf(target)?.uid === uid ? 0 : textAt(target.spec, "claimRef", "name") === name ? 1 : 2;
  return targets
    .filter((target) => {
      const { metadata, spec, status } = target;
      const reserved = textAt(spec, "claimRef", "name");
      return (
        metadata.deletionTimestamp === undefined &&
        (wanted === "" || wanted === metadata.name) &&
        (reserved === "" || reserved === name) &&
        (claimOf(target)?.uid ?? uid) === uid &&
        textAt(status, "phase") !== "Failed"
      );
    })
    .toSorted((a, b) => rank(a) - rank(b) || (a.metadata.name < b.metadata.name ? -1 : 1));
}
