import type { Subject } from "../../actions/action.ts";
import type { KindInfo } from "../../api/kinds.ts";
import type { Row } from "../../api/types.ts";

/** What a row says about its resource. */
export function subjectOf(kind: KindInfo, row: Row): Subject {
  return {
    kind,
    namespace: row.namespace ?? "",
    name: row.name,
    uid: row.uid,
    state: row.state,
    isDeleting: row.state === "Deleting",
  };
}
