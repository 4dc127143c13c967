// The commit of a PUT or PATCH: the resource, the record of the operation, the end of the operation
// before it, and the spec that a failed change falls back to.

import type { AnsweredWith } from "./write-answer.ts";
import type { Placed, Stored } from "./write-input.ts";
import type { WriteOptions, Written } from "../../../intents/request.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Write } from "../../../store/port.ts";
import { keepApplied } from "../../../modules/resource-provider/operations/applied-spec.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { shownProperties } from "../face/face-body.ts";
import type { ArmEnvelope } from "../../../modules/resource-provider/face.ts";
import { endWrite } from "../../../modules/resource-provider/operations/operations.ts";
import {
  commitOperation,
  draftOperation,
} from "../../../modules/resource-provider/operations/draft.ts";
import { asSentTo } from "../face/stored-refusal.ts";

interface Beside {
  readonly envelope: ArmEnvelope;
  readonly stored?: Stored;
  readonly fence?: readonly Write[];
}

/** Writes the resource together with the record of its operation. */
export async function writeWith(
  surface: ArmSurface,
  { request, found, replay, isDryRun = false }: Placed,
  { envelope, stored, fence = [] }: Beside,
  write: (options: WriteOptions) => Promise<Written>,
): Promise<AnsweredWith> {
  const { face, version, target } = found;
  const key = { kind: target.served.id, namespace: target.namespace, name: target.name };
  const operation = {
    mark: envelope.operation,
    face,
    apiVersion: version.apiVersion,
    resourceId: envelope.id,
    location: envelope.location,
    key,
    request,
    replay,
  };
  let decoded: Resource | undefined;
  const written = await commitOperation(surface, key, async (drafted) => {
    const also = async (resource: Resource): Promise<readonly Write[]> => {
      decoded = resource;
      // What its face cannot show is not stored: nobody could be told that it was.
      if (version.fromStored !== undefined) await shownProperties(version, target.served, resource);
      return [
        drafted(draftOperation(surface, operation, resource)),
        ...(stored === undefined ? [] : endWrite(surface, face, stored.old, stored.last)),
        ...(stored === undefined ? [] : await keepApplied(surface, face, stored.old, resource)),
        ...fence,
      ];
    };
    const options = { fieldManager: "arm", ownsNoNotes: true, fieldValidation: "Ignore" } as const;
    return await asSentTo(surface, found, write({ ...options, isDryRun, also }));
  });
  return { ...written, decoded };
}
