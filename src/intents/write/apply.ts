// Server-side apply: a manager states what it wants of a resource, and only that. The algorithm is
// in kernel/apply; here it meets the stored document, and what it yields goes the way of any other
// write. Applying to a resource that does not exist creates it.

import { applyConfiguration } from "../../kernel/apply/managers.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { badRequest, causeJson } from "../refusals.ts";
import type { Caller, Intents, Target, WriteOptions, Written } from "../request.ts";
import { createDocument } from "./create.ts";
import { checkEnvelope, withName, withNamespace } from "./envelope.ts";
import { writeContext } from "./managed-fields.ts";
import { reportUnknownFields } from "./unknown-fields.ts";
import { updateResource } from "./update.ts";

export interface ApplyInput {
  readonly caller: Caller;
  readonly target: Target;
  readonly body: Json;
  readonly options: WriteOptions;
  readonly force: boolean;
  readonly decodeProblems: readonly string[];
}

export async function applyResource(intents: Intents, input: ApplyInput): Promise<Written> {
  const { caller, target, options, decodeProblems } = input;
  const { version, served } = target;
  const checked = checkEnvelope(target, input.body);
  const config = withName(target, withNamespace(target, withMetadataObject(checked)));
  reportUnknownFields(
    caller,
    target,
    [],
    { mode: options.fieldValidation, decodeProblems },
    "patch",
  );
  const merge = (live: Resource | undefined): Resource => applied(intents, input, config, live);
  const finished = (live: Resource | undefined): Resource =>
    version.type.withDefaults(version.type.prune(merge(live)).resource);
  const create = (): Promise<Written> =>
    createDocument(intents, {
      caller,
      target,
      options,
      wanted: finished(undefined),
      isTracked: true,
    });
  const mayCreate = target.subresource === "" && !served.isTerminating;
  return await updateResource(intents, {
    caller,
    target,
    options,
    optionsKind: "PatchOptions",
    change: (old) => ({ wanted: finished(old), isTracked: true }),
    allowsBlind: true,
    ...(mayCreate ? { create } : {}),
  });
}

function applied(
  intents: Intents,
  { target, options, force }: ApplyInput,
  config: Resource,
  live: Resource | undefined,
): Resource {
  const context = writeContext(intents, target, options.fieldManager);
  const outcome = applyConfiguration({ ...context, live, config, force });
  switch (outcome.kind) {
    case "applied": {
      const metadata = outcome.object["metadata"] as JsonObject;
      const managedFields = outcome.managedFields;
      return { ...outcome.object, metadata: { ...metadata, managedFields } } as unknown as Resource;
    }
    case "conflict":
      throw new SetpointError("apply.conflict", outcome.message, {
        details: { causes: outcome.causes.map(causeJson) },
      });
    case "bad-request":
      throw badRequest(outcome.message);
    case "invalid":
      throw new SetpointError("internal", outcome.message, { details: { statusReason: "" } });
    default:
      return outcome satisfies never;
  }
}

function withMetadataObject(resource: Resource): Resource {
  const { metadata } = resource as { readonly metadata?: Json };
  return metadata === undefined ? ({ ...resource, metadata: {} } as unknown as Resource) : resource;
}
