// The state of a stored resource, by what its face and its kind say of it.

import type { Resource } from "../../../kernel/resource.ts";
import { envelopeOf } from "../envelope.ts";
import type { ArmFace } from "../face.ts";
import type { ProviderState } from "../provider-state.ts";
import { provisioningOf } from "./provisioning.ts";
import type { Provisioning } from "./provisioning.ts";

/** What takes longer than a day should be followed by other means than an operation. */
export const defaultTimeoutMs = 86_400_000;

export function provisioningIn(
  { intents }: ProviderState,
  face: ArmFace,
  resource: Resource,
  envelope = envelopeOf(resource) ?? bareEnvelope(resource),
): Provisioning {
  return provisioningOf(resource, {
    envelope,
    isReconciled: intents.kinds.byId(face.kind)?.isReconciled === true,
    nowMs: intents.clock.nowMs(),
    timeoutMs: face.operationTimeoutMs ?? defaultTimeoutMs,
  });
}

function bareEnvelope({ metadata }: Resource): NonNullable<ReturnType<typeof envelopeOf>> {
  const startedAt = metadata.creationTimestamp;
  const operation = { id: "", verb: "create", startedAt } as const;
  return { id: "", name: metadata.name, location: "", tags: {}, operation };
}
