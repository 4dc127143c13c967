import type { Metadata } from "../api/types.ts";
import type { Subject } from "./action.ts";

type Flags = Omit<Subject, "kind" | "state">;

/** What the metadata of a resource says to the actions. */
export function flagsOf(metadata: Metadata): Flags {
  const { name, namespace = "", uid, annotations = {}, deletionTimestamp } = metadata;
  return {
    namespace,
    name,
    uid,
    isPaused: annotations["setpoint.dev/paused"] === "true",
    isProtected: annotations["setpoint.dev/deletion-protection"] === "true",
    isDeleting: deletionTimestamp !== undefined,
  };
}
