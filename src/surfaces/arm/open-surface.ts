/** The surface of a running server, with the state that its requests share. */
import { sharedSigningKey } from "../../intents/auth/shared-signing-key.ts";
import type { OfferedState } from "../../modules/resource-provider/provider-state.ts";
import type { SurfacePorts } from "../http/module-surface.ts";
import type { HttpSurface } from "../http/surface.ts";
import { armApi } from "./arm-api.ts";
import type { ArmSurface } from "./request/surface-state.ts";
import { RecentDocuments } from "./request/recent-documents.ts";
import { ShownCache } from "./request/shown-cache.ts";
import { skipKeyOf } from "./protocol/skip-token.ts";
import { swaggerDocuments } from "./swagger/swagger.ts";

export async function openArm(ports: SurfacePorts): Promise<HttpSurface> {
  const { intents, authorizer, callerLog } = ports;
  const { faces, followed, open, awaited, configuration } = ports.offered as OfferedState;
  const { privateKey } = await sharedSigningKey(intents);
  const surface: ArmSurface = {
    intents,
    faces,
    followed,
    open,
    awaited,
    authorizer,
    retryAfterSeconds: configuration.retryAfter,
    skipKey: skipKeyOf(privateKey),
    shown: new ShownCache(),
    documents: new RecentDocuments(),
    onMistake: ({ what, ...mistake }) => callerLog.warn(mistake, mistakes[what]),
    onUnshown: (error, unshown) =>
      callerLog.error({ error, ...unshown }, "face cannot present a resource"),
  };
  const managers = new Set(configuration.clients);
  return armApi({ surface, documents: swaggerDocuments(faces), managers });
}

const mistakes = {
  refused: "face produced a spec that its kind refuses",
  kept: "toStored of a face kept a secret that the client removed",
  lost: "face produced fields that its kind does not have",
} as const;
