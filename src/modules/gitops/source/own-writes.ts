// GitSources are created and deleted by the server itself, under the claim of a run.

import type { Context } from "../../../engine/reconciler.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import { systemCallerFor, systemOptions, targetFor } from "../../../intents/bootstrap.ts";
import type { Intents } from "../../../intents/request.ts";
import { createResource } from "../../../intents/write/create.ts";
import { deleteResource } from "../../../intents/write/delete.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { gitopsVersion } from "../names.ts";
import { sourceName, specOfSource } from "./repository-name.ts";
import type { SourceFields } from "./repository-name.ts";

/** One that another deployment created meanwhile is as good. */
export async function createSource(
  intents: Intents,
  context: Context,
  namespace: string,
  fields: SourceFields,
): Promise<void> {
  const metadata = { name: sourceName(fields), namespace };
  const spec = specOfSource(fields);
  const body = { apiVersion: gitopsVersion, kind: "GitSource", metadata, spec };
  const { target } = targetFor(intents, body);
  try {
    await fencedWrite(context, async ({ claim, cause }) => {
      const options = { ...systemOptions, claim };
      const caller = systemCallerFor(cause);
      await createResource(intents, { caller, target, body, options, decodeProblems: [] });
    });
  } catch (error) {
    if (!isSetpointError(error, "resource.already_exists")) throw error;
  }
}

export async function deleteSource(
  intents: Intents,
  context: Context,
  source: Resource,
): Promise<void> {
  const { target, name } = targetFor(intents, source);
  const { uid, resourceVersion } = source.metadata;
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  try {
    await fencedWrite(context, async ({ claim, cause }) => {
      await deleteResource(intents, {
        caller: systemCallerFor(cause),
        target: { ...target, name },
        options: { isDryRun: false, propagation: undefined, preconditions, raw: {}, claim },
      });
    });
  } catch (error) {
    const isLate =
      isSetpointError(error, "resource.not_found") || isSetpointError(error, "resource.conflict");
    if (!isLate) throw error;
  }
}
