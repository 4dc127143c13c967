// The extension point `arm` of user modules: the face of a kind.

import type { ExtensionEntry, ExtensionPoint } from "../../contract/user-module.ts";
import type { ArmFaceOfKind } from "./faces/arm-face.ts";

export const faceExtension: ExtensionPoint = {
  name: "arm",
  of: "kind",
  // faces/face-check.ts checks the rest, when the kind is served.
  problem: (value, field) =>
    typeof value === "object" && value !== null ? undefined : `${field} must be a face`,
};

export interface DeclaredFace extends ArmFaceOfKind {
  readonly kind: string;
}

/** A face and the file of its module. */
export interface FaceInFile {
  readonly face: DeclaredFace;
  readonly file: string;
}

/** A type comes before the types inside it. */
export function facesIn(extensions: readonly ExtensionEntry[]): readonly FaceInFile[] {
  const faces = extensions
    .filter(({ point }) => point === faceExtension.name)
    .map(({ value, kind = "", file }) => ({ face: { ...(value as ArmFaceOfKind), kind }, file }));
  return faces.sort((a, b) => depthOf(a.face) - depthOf(b.face));
}

function depthOf({ type }: { readonly type: unknown }): number {
  return String(type).split("/").length;
}
