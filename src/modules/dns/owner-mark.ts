// The comment by which a record set at the server is known to belong to a DnsRecord. It is written
// in the same request as the records, so no crash can separate the two. People see it in PowerDNS.

import type { Resource } from "../../kernel/resource.ts";
import type { RecordComment, RecordSet } from "./server/record-set.ts";

/** Of all comments of Setpoint. PowerDNS has room for 40 characters. */
const account = "setpoint";

export interface OwnerMark {
  readonly uid: string;
  /** "namespace/name" of the DnsRecord. */
  readonly owner: string;
}

export function markOf({ metadata }: Resource): OwnerMark {
  return { uid: metadata.uid, owner: `${metadata.namespace ?? ""}/${metadata.name}` };
}

export type Ownership =
  | { readonly kind: "own" }
  /** Of another DnsRecord. It has the same name if it was deleted and created again. */
  | { readonly kind: "other"; readonly owner: string; readonly hasSameName: boolean }
  | { readonly kind: "none" };

export function ownershipOf({ comments }: RecordSet, { uid, owner }: OwnerMark): Ownership {
  const marks = comments.flatMap((comment) => markIn(comment) ?? []);
  if (marks.some((mark) => mark.uid === uid)) return { kind: "own" };
  const [first] = marks;
  if (first === undefined) return { kind: "none" };
  const hasSameName = marks.every((mark) => mark.owner === owner);
  return { kind: "other", owner: first.owner, hasSameName };
}

/** The comments of a set that is written: those of people, and the mark. */
export function commentsWith(
  mark: OwnerMark,
  observed: RecordSet | undefined,
  nowSeconds: number,
): readonly RecordComment[] {
  const others = (observed?.comments ?? []).filter((each) => markIn(each) === undefined);
  return [...others, { account, content: textOf(mark), modifiedAt: nowSeconds }];
}

function textOf({ uid, owner }: OwnerMark): string {
  return `DnsRecord ${owner} ${uid}`;
}

function markIn(comment: RecordComment): OwnerMark | undefined {
  if (comment.account !== account) return undefined;
  const [, owner, uid] = /^DnsRecord (\S+) (\S+)$/.exec(comment.content) ?? [];
  return owner === undefined || uid === undefined ? undefined : { owner, uid };
}
