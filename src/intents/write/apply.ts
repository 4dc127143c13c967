// Server-side apply: a manager states what it wants of a resource, and only that. The algorithm is
// in kernel/apply; here it meets the stored document, and what it yields goes the way of any other
// write. Applying to a resource that does not exist creates it.

import { jsonName } from "../../kernel/go-text.ts";
import { withoutKey } from "../../kernel/without-key.ts";
import { applyConfiguration } from "../../kernel/apply/managers.ts";
import type { ApplyOutcome } from "../../kernel/apply/managers.ts";
import { misfitText } from "../../kernel/apply/typed-validate.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { withoutHiddenValues } from "../../kernel/hidden-values.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { withPauses } from "../../kernel/sliced.ts";
import { badRequest, causeJson, conflict, unexplained } from "../refusals.ts";
import type { Caller, Intents, Target, WriteOptions, Written } from "../request.ts";
import { createDocument } from "./create.ts";
import { checkKind, checkName, withMetadataObject, withNamespace } from "./envelope.ts";
import { readHiding } from "./hidden-errors.ts";
import { writeContext } from "./managed-fields.ts";
import type { PatchBody } from "./patch.ts";
import { updateResource } from "./update.ts";
import { writePauses } from "./write-pauses.ts";

export interface ApplyInput {
  readonly caller: Caller;
  readonly target: Target;
  /** Throws for what is not YAML. */
  readonly body: () => PatchBody | Promise<PatchBody>;
  readonly options: WriteOptions;
  readonly force: boolean;
  /** Throws when the stored document, or that there is none, speaks against the apply. */
  readonly check?: (live: Resource | undefined) => void;
}

export async function applyResource(intents: Intents, input: ApplyInput): Promise<Written> {
  const { caller, target, options } = input;
  const { version, served } = target;
  const config = configOf(input, await input.body());
  const finished = async (live: Resource | undefined, storedBytes = 0): Promise<Resource> => {
    const pause = writePauses(input, storedBytes);
    input.check?.(live);
    await pause();
    const context = writeContext(intents, target, options);
    const work = applyConfiguration({ ...context, live, config, force: input.force });
    const merged = resultOf(target, await withPauses(work, pause));
    await pause();
    const whole = live === undefined ? placed(target, merged) : merged;
    const { resource } = readHiding(served, whole, (given) => version.type.prune(given));
    return version.type.withDefaultsMerged(resource);
  };
  const create = async (): Promise<Written> => {
    const wanted = await finished(undefined);
    return await createDocument(intents, { caller, target, options, wanted, isTracked: true });
  };
  const mayCreate = target.subresource === "" && !served.isTerminating;
  return await updateResource(intents, {
    caller,
    target,
    options,
    optionsKind: "PatchOptions",
    change: async (old, storedBytes) => {
      return { wanted: await finished(old, storedBytes), isTracked: true };
    },
    allowsBlind: served.kind.origin === "built-in",
    ...(mayCreate ? { create } : {}),
  });
}

/** Throws what speaks against the apply. */
function resultOf(target: Target, outcome: ApplyOutcome): Resource {
  switch (outcome.kind) {
    case "applied": {
      const { managedFields } = outcome;
      const rest = withoutKey(outcome.object["metadata"] as JsonObject, "managedFields");
      // An empty list would be a request to forget all owners.
      const metadata = managedFields.length === 0 ? rest : { ...rest, managedFields };
      return { ...outcome.object, metadata } as unknown as Resource;
    }
    case "conflict":
      throw new SetpointError("apply.conflict", outcome.message, {
        details: { causes: outcome.causes.map(causeJson) },
      });
    case "bad-request":
      throw badRequest(outcome.message);
    case "invalid":
      throw unexplained(outcome.message);
    case "misfit": {
      const errors = withoutHiddenValues(target.served.kind, outcome.errors);
      throw unexplained(`${outcome.message}: ${misfitText(errors)}`);
    }
    default:
      return outcome satisfies never;
  }
}

/** The configuration as it was sent; a namespace or name that it leaves out is added later. */
function configOf(
  { caller, target, options }: ApplyInput,
  { value, problems }: PatchBody,
): Resource {
  if (value !== null && !isJsonObject(value)) {
    throw badRequest(
      "error decoding YAML: error unmarshaling JSON: while decoding JSON: " +
        `json: cannot unmarshal ${jsonName(value)} into Go value of type map[string]interface {}`,
    );
  }
  if (problems.length > 0 && options.fieldValidation === "Strict") {
    const lines = problems.join("\n  ");
    throw badRequest(
      "error strict decoding YAML: error converting YAML to JSON: " +
        `yaml: unmarshal errors:\n  ${lines}`,
    );
  }
  if (options.fieldValidation === "Warn") for (const problem of problems) caller.warn(problem);
  const config = withMetadataObject((value ?? {}) as unknown as Resource);
  const { name = "" } = config.metadata as { readonly name?: Json };
  if (isJsonObject(config.metadata)) {
    withNamespace(target, config);
    if (name !== "" && name !== null) checkName(target, config);
  }
  return config;
}

/** What a new document has beside its configuration. */
function placed(target: Target, resource: Resource): Resource {
  const { served, name } = target;
  const { uid } = resource.metadata as { readonly uid?: string };
  if (uid !== undefined && uid !== "") {
    const why =
      `uid mismatch: the provided object specified uid ${uid}, ` +
      "and no existing object was found";
    throw conflict(served.kind, name, why);
  }
  checkKind(target, resource);
  const { metadata } = withNamespace(target, resource);
  return { ...resource, metadata: withoutKey({ ...metadata, name }, "resourceVersion") };
}
