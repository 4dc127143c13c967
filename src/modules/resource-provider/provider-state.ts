// The state of a running resource provider: the faces that are served now, and the operations that
// this process follows. The module owns it, and the surface reads it with every request.

import type { Intents } from "../../intents/request.ts";
import type { ArmConfiguration } from "./configuration.ts";
import type { ArmFaces } from "./faces/faces.ts";
import type { AwaitedChanges } from "./operations/awaited-changes.ts";
import type { ArmFace } from "./face.ts";
import type { FollowedOperations } from "./operations/followed.ts";
import type { OpenOperations } from "./operations/open-operations.ts";

/** The faces that are served now. */
export interface FaceIndex {
  find(provider: string, type: string): ArmFace | undefined;
  byKind(id: string): ArmFace | undefined;
  all(): readonly ArmFace[];
}

/** What the module offers to its surface. It exists before the write path does. */
export interface OfferedState {
  readonly faces: ArmFaces;
  /** Operations that were accepted or polled recently. */
  readonly followed: FollowedOperations;
  /** Operations whose end is not recorded yet. */
  readonly open: OpenOperations;
  /** Resources that a request waits for. */
  readonly awaited: AwaitedChanges;
  readonly configuration: ArmConfiguration;
}

export interface ProviderState extends Pick<OfferedState, "followed" | "open" | "awaited"> {
  readonly intents: Intents;
  readonly faces: FaceIndex;
}
