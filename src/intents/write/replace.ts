// Replaces a resource by a whole document (PUT).

import type { Json } from "../../kernel/json.ts";
import type { Caller, Intents, Target, WriteOptions, Written } from "../request.ts";
import { createDocument } from "./create.ts";
import {
  checkEnvelope,
  checkKind,
  checkName,
  withMetadataObject,
  withNamespace,
} from "./envelope.ts";
import { withDistinctOwners } from "./owner-references.ts";
import { reportUnknownFields } from "./unknown-fields.ts";
import { updateResource } from "./update.ts";
import { writePauses } from "./write-pauses.ts";

export interface ReplaceInput {
  readonly caller: Caller;
  readonly target: Target;
  readonly body: Json;
  readonly options: WriteOptions;
  /** What was sent, for messages that show it. */
  readonly source?: Uint8Array | undefined;
  readonly decodeProblems: readonly string[];
}

export async function replaceResource(intents: Intents, input: ReplaceInput): Promise<Written> {
  const { caller, target, options, decodeProblems } = input;
  const { served, version } = target;
  const pause = writePauses(input);
  await pause();
  const sent = withMetadataObject(checkEnvelope(target, input.body, input.source));
  const { resource: known, unknown } = version.type.prune(sent);
  await pause();
  const explain = intents.admission.explainer(target);
  const strictness = { mode: options.fieldValidation, decodeProblems, explain };
  reportUnknownFields(caller, target, unknown, strictness);
  const placed = withNamespace(target, known);
  checkName(target, placed);
  checkKind(target, placed);
  const wanted = version.type.withDefaults(withDistinctOwners(caller, placed, false));
  const mayCreate = served.rules?.allowsCreateOnUpdate === true && target.subresource === "";
  return await updateResource(intents, {
    caller,
    target,
    options,
    optionsKind: "UpdateOptions",
    change: () => ({ wanted, whole: input.body }),
    allowsBlind: served.kind.origin === "built-in" && served.rules?.needsRevision !== true,
    ...(mayCreate
      ? { create: () => createDocument(intents, { caller, target, options, wanted }) }
      : {}),
  });
}
