// `properties` between clients of one api-version and what is stored: shown without any secrets,
// whoever declared them, and taken in by the schema of the version, with all that is wrong at once.

import type { ServedKind } from "../../../intents/kinds/served-kind.ts";
import { withoutHidden } from "../../../intents/write/hidden-fields.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import type { CompiledFieldRule } from "../../../kernel/kind.ts";
import { applyMergePatch } from "../../../kernel/merge-patch.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { ArmProblem } from "../protocol/arm-error.ts";
import { bodySchema } from "../../../modules/resource-provider/faces/body-schema.ts";
import type { ArmVersion } from "../../../modules/resource-provider/face.ts";
import { hiddenBetween } from "../../../modules/resource-provider/faces/hidden-properties.ts";

/** What a client sees, without provisioningState. */
export async function shownProperties(
  version: ArmVersion,
  served: ServedKind,
  resource: Resource,
): Promise<JsonObject> {
  const shown = served.hasHidden ? withoutHidden(served.kind, resource) : resource;
  const schema = bodySchema(version);
  return schema.show(await schema.read(partsOf(shown)));
}

export interface SentProperties {
  readonly version: ArmVersion;
  readonly served: ServedKind;
  readonly properties: JsonObject;
  /** What they are to replace, or to be merged into. */
  readonly old: Resource | undefined;
  readonly isPatch: boolean;
}

export interface WantedSpec {
  readonly spec: JsonObject;
  readonly problems: readonly ArmProblem[];
  /** Secrets that were to go, and that the functions of the version have kept. */
  readonly kept: readonly string[];
}

/** The spec to store. A null takes away what is there, as leaving it out does, but for secrets. */
export async function wantedSpec(sent: SentProperties): Promise<WantedSpec> {
  const { version, served, properties, old, isPatch } = sent;
  const schema = bodySchema(version);
  const before = old && (await schema.read(partsOf(old)));
  const wanted = applyMergePatch(isPatch ? (before ?? {}) : {}, properties);
  const hidden = old && before && served.hasHidden ? await hiddenIn(sent, old, before) : [];
  const accepted = schema.accept(wanted, before, properties, hidden);
  const { problems } = accepted;
  if (problems.length > 0) return { spec: {}, problems, kept: [] };
  const stored = old && objectAt(old, "spec");
  const spec = await schema.store(accepted.properties, stored, properties);
  if (old === undefined || before === undefined) return { spec, problems, kept: [] };
  const { status } = partsOf(old);
  const kept = await schema.stillHidden(before, accepted.properties, { spec, status });
  return { spec, problems, kept };
}

/** What no client has seen, because the kind hides what it is made of. */
async function hiddenIn(
  { version, served }: SentProperties,
  old: Resource,
  before: JsonObject,
): Promise<readonly CompiledFieldRule[]> {
  const shown = await bodySchema(version).read(partsOf(withoutHidden(served.kind, old)));
  return hiddenBetween(before, shown);
}

function partsOf(resource: Resource): { readonly spec: JsonObject; readonly status: JsonObject } {
  return { spec: objectAt(resource, "spec"), status: objectAt(resource, "status") };
}
