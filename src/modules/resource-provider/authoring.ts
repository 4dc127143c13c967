// What authors of modules import from "setpoint" for the resource provider, and the field `arm` of
// a kind, which is also accepted beside `extensions`.

import type { ArmFaceOfKind } from "./faces/arm-face.ts";

declare module "../../contract/user-module.ts" {
  interface KindExtensions {
    /** Offers the kind as a resource type; see docs/reference/resource-provider.md. */
    readonly arm?: ArmFaceOfKind;
  }
}

export { ArmActionRefused, armIdOf } from "./faces/arm-face.ts";
export type {
  ArmAction,
  ArmActionContext,
  ArmChangeContext,
  ArmFaceOfKind,
  ArmVersion,
  ArmVersionOfKind,
  ChildReference,
  StoredParts,
} from "./faces/arm-face.ts";
