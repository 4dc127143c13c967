import type { Subject } from "../../actions/action.ts";
import type { KindInfo } from "../../api/kinds.ts";
import type { Resource } from "../../api/types.ts";

const unhandled: ReadonlySet<string> = new Set(["Unhandled"]);

/** What a document says about its resource. `state` is that of `why`. */
export function subjectOfDocument(
  kind: KindInfo,
  { metadata }: Resource,
  state: string | undefined,
): Subject {
  const { annotations = {}, namespace = "", name, uid, deletionTimestamp } = metadata;
  return {
    kind,
    namespace,
    name,
    uid,
    isPaused: isSet(annotations["setpoint.dev/paused"]),
    isProtected: isSet(annotations["setpoint.dev/deletion-protection"]),
    isDeleting: deletionTimestamp !== undefined,
    ...(state !== undefined && unhandled.has(state) ? { state: "Stored" as const } : {}),
  };
}

/** Every value but "false" counts. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "false";
}
