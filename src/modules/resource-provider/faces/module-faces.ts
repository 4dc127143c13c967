// The faces that user modules declare beside their kinds. A face that cannot be served is reported
// as a problem of its module; the other faces are served.

import type { OpenPorts } from "../../../contract/ports.ts";
import type { KindRegistry } from "../../../intents/kinds/registry.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import type { DeclaredFace, FaceInFile } from "../face-extension.ts";
import type { ArmFace, ArmVersion, ArmVersionOfKind } from "./arm-face.ts";
import { propertiesSchema } from "./face-of-resource.ts";
import type { ArmFaces } from "./faces.ts";

/** The kinds of the faces are installed. */
export function putFaces(
  faces: ArmFaces,
  declared: readonly FaceInFile[],
  kinds: Pick<KindRegistry, "byId">,
  report: OpenPorts["reportModule"],
): void {
  for (const { face, file } of declared) {
    try {
      faces.put(completeFace(face, kinds));
    } catch (error) {
      if (!isSetpointError(error)) throw error;
      const problem = new SetpointError(
        "config.invalid",
        `the module ${file}: ${error.message}`,
        // Without a cause: the refusal has the same words.
        {
          details: { ...error.details, option: "module", file },
          suggestion: "see docs/reference/resource-provider.md",
        },
      );
      report(file, problem);
    }
  }
}

/** A version without a schema gets that of the kind. `put` reports everything else. */
function completeFace(face: DeclaredFace, kinds: Pick<KindRegistry, "byId">): ArmFace {
  const served = kinds.byId(face.kind);
  const schema = propertiesSchema(served?.storage.definition.schema ?? {});
  // Modules may be written without types.
  if (!Array.isArray(face.versions)) return face as unknown as ArmFace;
  const complete = (version: ArmVersionOfKind): ArmVersion =>
    typeof version === "object" ? { schema, ...version } : version;
  return { ...face, versions: face.versions.map(complete) };
}
