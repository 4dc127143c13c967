// Creates a resource. The name is decided here when the client leaves it to us; an existing name
// is refused by the store, inside the commit, so that two creations can never both win.

import { decodeDocument } from "../../kernel/document.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { withoutKey } from "../../kernel/without-key.ts";
import type { Json } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import type { Resource } from "../../kernel/resource.ts";
import { withPauses } from "../../kernel/sliced.ts";
import { sawNameHolder } from "../admission/definition-name-holders.ts";
import type { AdmissionRequest } from "../admission/admission.ts";
import { createdInForm } from "../kinds/other-form.ts";
import { prepareKind } from "../kinds/served-kind.ts";
import { alreadyExists, forbidden, unexplained } from "../refusals.ts";
import { keyOfTarget, storedTarget } from "../request.ts";
import type { Caller, Intents, Target, WriteOptions, Written } from "../request.ts";
import { causeOf } from "./cause-of.ts";
import { commitPut } from "./commit.ts";
import { checkEnvelope, checkKind, withMetadataObject, withNamespace } from "./envelope.ts";
import { checkDocument } from "./finish.ts";
import { trackCreation } from "./managed-fields.ts";
import { openNamespace } from "./namespace.ts";
import { withDistinctOwners } from "./owner-references.ts";
import { confirmPlace } from "./place.ts";
import { draftFor } from "./stored.ts";
import { namesOf } from "./unique-names.ts";
import { generatedName, newMetadata, withMetadata } from "./system-metadata.ts";
import { reportUnknownFields } from "./unknown-fields.ts";
import { tellWarnings } from "./warnings.ts";
import { stepPauses, writePauses } from "./write-pauses.ts";

export interface CreateInput {
  readonly caller: Caller;
  readonly target: Target;
  readonly body: Json;
  readonly options: WriteOptions;
  /** What was sent, for messages that show it. */
  readonly source?: Uint8Array | undefined;
  /** Duplicate keys that the decoder saw. */
  readonly decodeProblems: readonly string[];
}

export async function createResource(intents: Intents, input: CreateInput): Promise<Written> {
  const { caller, target, options, decodeProblems } = input;
  const { served, version } = target;
  const pause = writePauses(input);
  const preparing = prepareKind(target, stepPauses(input));
  if (preparing !== undefined) await preparing;
  await pause();
  const sent = withMetadataObject(checkEnvelope(target, input.body, input.source));
  const { resource: known, unknown } = version.type.prune(sent);
  await pause();
  const explain = intents.admission.explainer(target);
  const strictness = { mode: options.fieldValidation, decodeProblems, explain };
  reportUnknownFields(caller, target, unknown, strictness);
  checkKind(target, known);
  const wanted = withDistinctOwners(caller, withNamespace(target, known), false);
  if (served.isTerminating) {
    const why = "create not allowed while custom resource definition is terminating";
    throw forbidden(served.kind, wanted.metadata.name ?? "", why);
  }
  const defaulted = version.type.withDefaults(wanted);
  await pause();
  return await createDocument(intents, { caller, target, options, wanted: defaulted });
}

function checkRevision({ metadata }: Resource): void {
  const { resourceVersion = "" } = metadata;
  if (!/^\d+$/.test(resourceVersion) || /^0+$/.test(resourceVersion)) return;
  throw unexplained("resourceVersion should not be set on objects to be created");
}

export interface CreateDocumentInput {
  readonly caller: Caller;
  readonly target: Target;
  readonly options: WriteOptions;
  /** Pruned and defaulted. */
  readonly wanted: Resource;
  /** Server-side apply keeps its own record of who owns what. */
  readonly isTracked?: boolean;
}

export async function createDocument(
  intents: Intents,
  given: CreateDocumentInput,
): Promise<Written> {
  const input = asStoredKind(given);
  const { options, wanted } = input;
  const { name, generateName } = wanted.metadata;
  const isGenerated =
    (name === undefined || name === "") && typeof generateName === "string" && generateName !== "";
  if (!isGenerated) return await createNamed(intents, input, wanted);
  for (let attempt = 1; ; attempt++) {
    const chosen = generatedName(generateName, intents.random);
    const named = withMetadata(wanted, { ...wanted.metadata, name: chosen });
    try {
      return await tryCreate(intents, input, named, true);
    } catch (error) {
      const isTaken = isSetpointError(error, "resource.already_exists");
      if (!isTaken || attempt >= limits.maxGenerateNameAttempts || options.isDryRun) throw error;
    }
  }
}

function asStoredKind(input: CreateDocumentInput): CreateDocumentInput {
  const { target, wanted } = input;
  const { form } = target.served;
  if (form === undefined) return input;
  return { ...input, target: storedTarget(target), wanted: createdInForm(form, wanted) };
}

async function createNamed(
  intents: Intents,
  input: CreateDocumentInput,
  named: Resource,
): Promise<Written> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryCreate(intents, input, named);
    } catch (error) {
      const mayRepeat = attempt < limits.maxGenerateNameAttempts;
      if (!mayRepeat || !(await sawNameHolder(intents, input.target, error))) throw error;
    }
  }
}

async function tryCreate(
  intents: Intents,
  { caller, target: given, options, isTracked = false }: CreateDocumentInput,
  named: Resource,
  isNameGenerated = false,
): Promise<Written> {
  const { served } = given;
  const pause = writePauses({ caller, target: given, options });
  const asked = { ...given, name: named.metadata.name ?? "" };
  await openNamespace(intents, asked);
  // Whoever sent a field owns it; what policies and the server add belongs to nobody.
  const fresh = withMetadata(named, newMetadata(named.metadata, intents, served.hasGeneration));
  const tracking = isTracked
    ? fresh
    : withPauses(trackCreation(intents, asked, options, fresh), pause);
  const tracked = tracking instanceof Promise ? await tracking : tracking;
  const request: AdmissionRequest = {
    caller,
    operation: "CREATE",
    target: asked,
    object: tracked,
    old: undefined,
    isDryRun: options.isDryRun,
    options: createOptions(options),
    ...(isNameGenerated ? { isNameGenerated } : {}),
  };
  await pause();
  const mutated = await intents.admission.mutate(request);
  // A policy may have chosen another name.
  const target = { ...asked, name: mutated.metadata.name ?? "" };
  const object = prepare(caller, target, mutated, request.object);
  const checking = checkDocument(intents, { caller, target }, object, undefined);
  if (checking !== undefined) await checking;
  await pause();
  checkRevision(named);
  tellWarnings(caller, target, object, undefined);
  const final = { ...request, target, object, isNameGenerated: false };
  const validation = intents.admission.validate(final);
  if (validation !== undefined) await validation;
  const draft = await draftFor(served, object, pause);
  if (options.isDryRun) {
    if (await isThere(intents, target)) throw alreadyExists(served.kind, target.name);
    return { revision: 0, body: draft.body, outcome: "created" };
  }
  const uses = intents.admission.uses(final);
  const bounds = intents.admission.bounds(final);
  const { uid } = object.metadata;
  try {
    const when = { kind: "absent" } as const;
    const { claim } = options;
    const names = namesOf(options, intents.admission.names(final));
    const also = await options.also?.(object);
    const cause = causeOf(caller);
    const { beside } = caller;
    const held = { uses, bounds, names, admitted: final };
    const put = { target, uid, draft, when, cause, claim, also, beside, ...held };
    const written = await commitPut(intents, put);
    return await confirmPlace(intents, target, put, written);
  } catch (error) {
    if (!isSetpointError(error, "resource.already_exists")) throw error;
    throw alreadyExists(served.kind, target.name, await isLeaving(intents, target));
  }
}

async function isThere({ store }: Intents, target: Target): Promise<boolean> {
  return (await store.get(keyOfTarget(target))) !== undefined;
}

async function isLeaving({ store }: Intents, target: Target): Promise<boolean> {
  const record = await store.get(keyOfTarget(target));
  if (record === undefined) return false;
  return decodeDocument(record.body, record.revision).metadata.deletionTimestamp !== undefined;
}

/** A policy may have changed the document, so it is defaulted again; then the kind's own part. */
function prepare(
  caller: Caller,
  target: Target,
  mutated: Resource,
  before: Resource | undefined,
): Resource {
  const { served, version } = target;
  const whole =
    mutated === before
      ? mutated
      : withDistinctOwners(
          caller,
          version.type.withDefaults(version.type.prune(mutated).resource),
          true,
        );
  const prepared = served.rules?.prepareForCreate?.(whole) ?? whole;
  if (!version.definition.subresources.status || !Object.hasOwn(prepared, "status")) {
    return prepared;
  }
  if (served.rules?.keepsStatusOnCreate === true) return prepared;
  return withoutKey(prepared, "status");
}

function createOptions({ sent = {} }: WriteOptions): Json {
  return { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", ...sent };
}
