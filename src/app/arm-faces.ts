// The faces that this server shows to the Azure Resource Manager: those that modules declare beside
// their kinds, and those of ArmFace resources, which come and go while it runs. A module whose face
// cannot be served keeps the server from starting, as any other mistake in a module does.

import { admissionChain } from "../intents/admission/admission.ts";
import { installKind } from "../intents/install-kind.ts";
import type { KindRegistry } from "../intents/kinds/registry.ts";
import type { ArmFace, ArmVersion, ArmVersionOfKind } from "../kernel/arm-face.ts";
import { SetpointError, isSetpointError } from "../kernel/errors.ts";
import type { Timers } from "../kernel/timers.ts";
import { faceDefinition } from "../surfaces/arm/face-kind.ts";
import { propertiesSchema } from "../surfaces/arm/face-of-resource.ts";
import { armFaces } from "../surfaces/arm/faces.ts";
import type { ArmFaces } from "../surfaces/arm/faces.ts";
import { followFaces } from "../surfaces/arm/follow-faces.ts";
import type { Logger } from "../telemetry/log.ts";
import type { ControlPlane } from "./control-plane.ts";
import { facesOf } from "./load-modules.ts";
import type { DeclaredFace, LoadedModule } from "./load-modules.ts";

export interface ArmFacesInput {
  readonly plane: Pick<ControlPlane, "intents">;
  /** Their kinds have been installed. */
  readonly modules: readonly LoadedModule[];
  readonly timers: Timers;
  readonly log: Logger;
}

/** Disposing of it ends the following of resources. */
export interface OpenArmFaces extends AsyncDisposable {
  readonly faces: ArmFaces;
}

export async function openArmFaces(input: ArmFacesInput): Promise<OpenArmFaces> {
  const { plane, modules, timers, log } = input;
  const { intents } = plane;
  const unhindered = { ...intents, admission: admissionChain([]) };
  const maker = { name: "setpoint-arm", version: 2, isReconciled: false };
  await installKind(unhindered, faceDefinition, maker);
  const faces = armFaces(intents.kinds);
  putFaces(faces, modules, intents.kinds);
  const following = followFaces({
    intents: unhindered,
    faces,
    timers,
    onError: (error, face) => log.warn({ error, face }, "face not marked"),
  });
  return { faces, [Symbol.asyncDispose]: () => following[Symbol.asyncDispose]() };
}

export function putFaces(
  faces: ArmFaces,
  modules: readonly LoadedModule[],
  registry: Pick<KindRegistry, "byId">,
): void {
  for (const face of facesOf(modules)) {
    try {
      faces.put(wholeFace(face, registry));
    } catch (error) {
      if (!isSetpointError(error)) throw error;
      const { file = "" } =
        modules.find(({ kinds }) => kinds.some(({ arm }) => arm === face)) ?? {};
      throw new SetpointError("config.invalid", `the module ${file}: ${error.message}`, {
        // Without the refusal as a cause, which would be told in the same words once more.
        details: { ...error.details, option: "module", file },
        suggestion: "see docs/reference/resource-provider.md",
      });
    }
  }
}

/** What is missing from a face for another reason than this is told when it is put in. */
function wholeFace(face: DeclaredFace, kinds: Pick<KindRegistry, "byId">): ArmFace {
  const served = kinds.byId(face.kind);
  const schema = propertiesSchema(served?.storage.definition.schema ?? {});
  // What is no list, or no object, is told by those who judge the face.
  if (!Array.isArray(face.versions)) return face as unknown as ArmFace;
  const whole = (version: ArmVersionOfKind): ArmVersion =>
    typeof version === "object" ? { schema, ...version } : version;
  return { ...face, versions: face.versions.map(whole) };
}
