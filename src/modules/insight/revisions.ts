// The states that a resource had. The log keeps them until it is compacted: an older revision is
// an error that says so, and never a wrong answer.

import type { RoutePorts } from "../../contract/route.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Change, HistoryOptions, Store } from "../../store/port.ts";
import type { Addressed } from "./addressed.ts";
import type { Lives } from "../../intents/read/lives.ts";

/** The past of one resource, as far as one caller may see it. */
export interface Past {
  readonly key: Addressed["key"];
  head(): ReturnType<Store["head"]>;
  /** The revision of the present state; undefined when the resource does not exist. */
  present(): Promise<number | undefined>;
  /** Newest first. */
  changes(options: HistoryOptions): Promise<readonly Change[]>;
}

export function pastOf(
  { store }: Pick<RoutePorts, "store">,
  lives: Lives,
  user: UserInfo,
  addressed: Addressed,
): Past {
  return {
    key: addressed.key,
    head: () => store.head(),
    present: async () => (await store.get(addressed.key))?.revision,
    changes: (options) => lives.history(user, addressed, options),
  };
}

/**
 * The change that made the state at a revision; undefined when the resource did not exist then.
 * `field` is the part of the request that names the revision.
 */
export async function changeAt(
  past: Past,
  revision: number,
  field: string,
): Promise<Change | undefined> {
  const head = await past.head();
  if (revision > head.revision) throw notReached(revision, head.revision, field);
  const [change] = await past.changes({ before: revision + 1, limit: 1 });
  if (change !== undefined) return change.type === "deleted" ? undefined : change;
  const { compacted } = await past.head();
  if (revision < compacted || (await isCut(past, revision))) throw gone(revision, field);
  return undefined;
}

const pageChanges = 100;

/** Whether the resource existed at a revision and the log has forgotten how it was then. */
async function isCut(past: Past, revision: number): Promise<boolean> {
  let oldest: Change | undefined;
  for (;;) {
    const before = oldest === undefined ? {} : { before: oldest.revision };
    const page = await past.changes({ limit: pageChanges, ...before });
    oldest = page.at(-1) ?? oldest;
    if (page.length === 0) break;
  }
  if (oldest !== undefined) return oldest.revision > revision && oldest.previous !== undefined;
  const present = await past.present();
  return present !== undefined && present <= revision;
}

/** As `changeAt`, for a resource that must have existed. */
export async function requiredChangeAt(
  past: Past,
  revision: number,
  field: string,
): Promise<Change> {
  const change = await changeAt(past, revision, field);
  if (change !== undefined) return change;
  throw didNotExist(past.key, revision, field);
}

/** The error for a resource that exists at other revisions only. */
export function didNotExist(
  { kind, name }: ResourceKey,
  revision: number,
  field: string,
): SetpointError {
  const message = `${kind} ${JSON.stringify(name)} did not exist at revision ${revision}`;
  return new SetpointError("resource.not_found", message, {
    details: { field },
    suggestion: "choose a revision from the history of the resource",
  });
}

function notReached(revision: number, head: number, field: string): SetpointError {
  const message = `revision ${revision} does not exist yet; the newest is ${head}`;
  return new SetpointError("request.invalid", message, { details: { field } });
}

export function gone(revision: number, field: string): SetpointError {
  const message = `the history at revision ${revision} has been compacted`;
  return new SetpointError("history.gone", message, {
    details: { field },
    suggestion: "choose a newer revision from the history of the resource",
  });
}
